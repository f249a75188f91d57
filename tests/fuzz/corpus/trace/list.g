MemcpyHtoD,0x0,4
kernel-1.traceg
