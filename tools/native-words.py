#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares src/decode/native's text of instruction words with that of NVIDIA's disassembler.

    tools/native-words.py words 80 CUBIN...          > words.80     all words of the files, with nvdisasm's text
    tools/native-words.py flips 80 words.80 [REGEX] [COUNT]        > flips.80  the same words (whose text matches) with 1 to 3 bits changed
    tools/native-words.py compare PROGRAM 80 words.80 [REGEX]      what PROGRAM (build/native_words) says of them
    tools/native-words.py sample 75=words.75 80=words.80 ...  > tests/native/words.txt      few words that have every modifier and operand form

A line of words: "ADDRESS LOW HIGH<tab>text". A word that the disassembler refuses has the text "?".
nvdisasm (PyPI: nvidia-cuda-nvdisasm) must be in PATH. Needed by who changes rows.def, never by users.
"""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r'/\*[0-9a-f]+\*/\s+(.*?)\s*;\s*/\* 0x[0-9a-f]{16} \*/')
HALF = re.compile(r'/\* 0x[0-9a-f]{16} \*/')


def clean(text):
    text = re.sub(r'\s+', ' ', text).strip()
    return re.sub(r' ([,;\]])', r'\1', text).replace('] [', '][')


NOP = (0x7918, 0x000fc00000000000)


def disassemble(target, words):
    """Texts of words [(pc, low, high)] at addresses 0, 16, ..; and the places of the illegal ones."""
    with tempfile.NamedTemporaryFile(suffix='.bin') as file:
        for _, low, high in words:
            file.write(low.to_bytes(8, 'little') + high.to_bytes(8, 'little'))
        file.flush()
        done = subprocess.run(['nvdisasm', '-ndf', '-hex', '-b', f'SM{target}', file.name],
                              capture_output=True, text=True)
    halves = [line for line in done.stdout.splitlines() if HALF.search(line)]
    texts = [clean(found[1]) if (found := LINE.search(line)) else '?' for line in halves[::2]]
    illegal = {int(place, 16) // 16 for place in re.findall(r'at address 0x([0-9a-f]+)', done.stderr)}
    return texts if done.returncode == 0 and len(texts) == len(words) else None, illegal


def disassemble_all(target, words):
    """The same for words of which some may be illegal: text "?". The others keep their addresses."""
    words, refused = list(words), set()
    while words:
        texts, illegal = disassemble(target, words)
        if texts:
            return ['?' if i in refused else text for i, text in enumerate(texts)]
        if not illegal - refused:
            if len(words) == 1:
                return ['?']
            middle = len(words) // 2  # it stopped without telling where
            illegal = {i for first, last in ((0, middle), (middle, len(words)))
                       for i, text in enumerate(disassemble_all(target, words[first:last]), first) if text == '?'}
            if not illegal - refused:
                sys.exit(f'nvdisasm: no text of {len(words)} words of sm_{target}, though of each half')
        refused |= illegal
        for i in illegal:
            words[i] = (words[i][0],) + NOP
    return []


def sections(path):
    """Bytes of the .text sections of an ELF file."""
    data = open(path, 'rb').read()
    if data[:4] != b'\x7fELF':
        return
    offset = int.from_bytes(data[40:48], 'little')
    size, count, names = (int.from_bytes(data[i:i + 2], 'little') for i in (58, 60, 62))
    heads = [data[offset + i * size:offset + (i + 1) * size] for i in range(count)]
    place = lambda head: (int.from_bytes(head[24:32], 'little'), int.from_bytes(head[32:40], 'little'))
    strings = place(heads[names])[0]
    for head in heads:
        name = data[strings + int.from_bytes(head[:4], 'little'):].split(b'\0', 1)[0]
        if name.startswith(b'.text'):
            begin, length = place(head)
            yield data[begin:begin + length]


def write_words(words, texts):
    for (pc, low, high), text in zip(words, texts):
        print(f'{pc:x} {low:016x} {high:016x}\t{text}')


def command_words(target, paths):
    seen = set()
    for path in paths:
        for code in sections(path):
            words = [(i, int.from_bytes(code[i:i + 8], 'little'), int.from_bytes(code[i + 8:i + 16], 'little'))
                     for i in range(0, len(code), 16)]
            texts = disassemble_all(target, words)
            new = []
            for word, text in zip(words, texts):
                # branches say where they stand, others need be seen once
                key = word if '0x' in text and re.search(r'BRA|CALL|RET|BSSY|JMP|BRX|LEPC', text) else word[1:]
                if key not in seen:
                    seen.add(key)
                    new.append((word, text))
            write_words([word for word, _ in new], [text for _, text in new])


def read_words(path, pattern):
    wanted = re.compile(pattern or '.')
    for line in open(path):
        place, text = line.rstrip('\n').split('\t')
        if wanted.search(text):
            pc, low, high = (int(part, 16) for part in place.split())
            yield (pc, low, high), text


def opcode(text):
    text = re.sub(r'^@\S+ ', '', text)
    return re.split(r'[ .]', text)[0]


def command_flips(target, path, pattern=None, count='4000'):
    """Bits 12 to 104 of known words are changed: what a row must tell from what it must refuse."""
    rng = random.Random(1)
    groups = collections.defaultdict(list)
    for word, text in read_words(path, pattern):
        if text != '?':
            groups[(opcode(text), word[1] & 0xfff)].append(word)
    each = max(8, int(count) // max(1, len(groups)))
    words = []
    for _, members in sorted(groups.items()):
        for i in range(each):
            _, low, high = rng.choice(members)
            value = low | high << 64
            if i < 93:
                value ^= 1 << (12 + i)
            else:
                for _ in range(rng.randint(1, 3)):
                    value ^= 1 << rng.randint(12, 104)
            words.append((16 * len(words), value & (1 << 64) - 1, value >> 64))
    texts = []
    for first in range(0, len(words), 256):
        texts += disassemble_all(target, [(0,) + w[1:] for w in words[first:first + 256]])
    # each batch began at address 0
    words = [(16 * (i % 256),) + w[1:] for i, w in enumerate(words)]
    write_words(words, texts)


def command_compare(program, target, path, pattern=None):
    entries = list(read_words(path, pattern))
    text = ''.join(f'{pc:x} {low:x} {high:x}\n' for (pc, low, high), _ in entries)
    done = subprocess.run([program, target], input=text, capture_output=True, text=True, check=True)
    same, refused, other, extra = (collections.Counter() for _ in range(4))
    samples = collections.defaultdict(list)
    for (word, theirs), ours in zip(entries, done.stdout.splitlines()):
        ours = clean(ours)
        name = opcode(theirs if theirs != '?' else ours)
        if theirs == ours:
            same[name] += 1
            continue
        kind = extra if theirs == '?' else refused if ours == '?' else other
        kind[name] += 1
        samples[name].append((word, theirs, ours))
    for name in sorted(set(refused) | set(other) | set(extra)):
        print(f'{name}: {same[name]} same, {refused[name]} refused, {other[name]} differ, {extra[name]} too many')
        for word, theirs, ours in samples[name][:int(os.environ.get("SAMPLES", "4"))]:
            print(f'    {word[2]:016x}_{word[1]:016x}  {theirs}   |   {ours}')
    total = sum(same.values()), sum(refused.values()), sum(other.values()), sum(extra.values())
    print('total: %d same, %d refused, %d differ, %d accepted though illegal' % total)
    return 1 if any(total[1:]) else 0


def features(word, text):
    """What a word shows of its opcode: each modifier, and the kinds of its operands."""
    text = re.sub(r'^@!?UP', '@U ', re.sub(r'^@!?P', '@ ', text))
    guard, body = text.split(' ', 1) if text[0] == '@' else ('', text)
    name, _, operands = body.partition(' ')
    kinds = re.sub(r'0x[0-9a-f]+|\b\d[\d.e+-]*|[-+]INF|[-+]QNAN', '#', operands)
    kinds = re.sub(r'\b(UR|R|UP|P|B|SB)(Z|T|\d+)\b', r'\1', kinds)
    kinds = re.sub(r'\bSR_?\w+(\.[XYZ])?', 'SR', kinds)
    key = word[1] & 0xfff
    return ({(key, guard[:2])} | {(key, part) for part in name.split('.')}
            | {(key, part) for part in kinds.split(', ')} | {(key, kinds.count(','))})


def command_sample(*pairs):
    """A word goes in if it shows something new of a target, first those that another target took."""
    taken = collections.OrderedDict()
    for pair in pairs:
        target, path = pair.split('=')
        rest = {(word, text) for word, text in read_words(path, None) if text != '?'}
        seen = set()
        for word, text in [entry for entry in taken if entry in rest] + sorted(rest):
            new = features(word, text) - seen
            if new:
                seen |= new
                taken.setdefault((word, text), []).append(target)
    for ((pc, low, high), text), targets in sorted(taken.items(), key=lambda item: (item[0][0][1] & 0xfff, item[0])):
        print(f'{",".join(targets)} {pc:x} {low:016x} {high:016x}\t{text}')


def main(arguments):
    commands = {'words': command_words, 'flips': command_flips, 'compare': command_compare,
                'sample': command_sample}
    if len(arguments) < 2 or arguments[0] not in commands:
        sys.exit(__doc__)
    if arguments[0] == 'words':
        return command_words(arguments[1], arguments[2:])
    return commands[arguments[0]](*arguments[1:])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
