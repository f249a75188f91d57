// SPDX-License-Identifier: Apache-2.0
/* Ends the meaning that the words of a list of figures (base/figure.h) had. Included more than once. */
#undef RECORD
#undef RECORD_OF
#undef END
#undef ALWAYS
#undef NULL_UNLESS
#undef OMIT_UNLESS
#undef NUMBER
#undef NUMBER_OR_WORD
#undef COUNT
#undef MORE_NUMBER
#undef MORE_COUNT
#undef FLAG
#undef WORD
#undef SECTION
#undef OWN
#undef LIST
#undef MAP
#undef TABLE
#undef MATRIX
#undef WORDS
#undef COUNTS
#undef NUMBERS
#undef FIGURE
#undef FIGURES
#undef FIGURE_GETTER
#undef FIGURE_ROW
