declare <1 x double> @llvm.fma.v1f64(<1 x double>, <1 x double>, <1 x double>)

declare <1 x double> @llvm.fabs.v1f64(<1 x double>)

declare i32 @phalanx_yield()

define internal preserve_allcc void @wait(ptr %flag, i64 %number, ptr %memory) noinline {
entry:
  %found = load atomic i64, ptr %flag acquire, align 8
  %there = icmp sge i64 %found, %number
  br i1 %there, label %done, label %slow
slow:
  call preserve_allcc void @spin(ptr %flag, i64 %number, ptr %memory)
  br label %done
done:
  ret void
}

define internal preserve_allcc void @spin(ptr %flag, i64 %number, ptr %memory) noinline cold {
entry:
  %patience = load i64, ptr %memory
  br label %look
look:
  %looks = phi i64 [ 0, %entry ], [ %more, %rest ], [ 0, %give_way ]
  %found = load atomic i64, ptr %flag acquire, align 8
  %there = icmp sge i64 %found, %number
  br i1 %there, label %done, label %impatient
impatient:
  %tired = icmp sge i64 %looks, %patience
  br i1 %tired, label %ask, label %rest
rest:
  %more = add i64 %looks, 1
  call void asm sideeffect "pause", "~{memory}"()
  br label %look
ask:
  %stop_at = getelementptr i64, ptr %memory, i64 1
  %stop = load atomic i64, ptr %stop_at monotonic, align 8
  %stopped = icmp ne i64 %stop, 0
  br i1 %stopped, label %done, label %give_way
give_way:
  %ignored = call i32 @phalanx_yield()
  br label %look
done:
  ret void
}

define internal void @part0_0(ptr %memory, i64 %number) nounwind {
entry:
  %x1 = getelementptr i8, ptr %memory, i64 384
  %x2 = load <1 x double>, ptr %x1, align 8
  %x3 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x2, <1 x double> <double 0x3FE45F306DC9C883>, <1 x double> <double 0x4338000000000000>)
  %x4 = fsub <1 x double> %x3, <double 0x4338000000000000>
  %x5 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x4, <1 x double> <double 0xBFF921FB54442D18>, <1 x double> %x2)
  %x6 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x4, <1 x double> <double 0xBC91A62633145C07>, <1 x double> %x5)
  %x7 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x4, <1 x double> <double 0x391F1976B7ED8FBC>, <1 x double> %x6)
  %x8 = call <1 x double> @llvm.fabs.v1f64(<1 x double> %x2)
  %x9 = fcmp ole <1 x double> %x8, <double 0x4310000000000000>
  %x10 = select <1 x i1> %x9, <1 x double> %x7, <1 x double> <double 0x7FF8000000000000>
  %x11 = fmul <1 x double> %x10, %x10
  %x12 = call <1 x double> @llvm.fma.v1f64(<1 x double> <double 0x3DE5D8FD1FD19CCD>, <1 x double> %x11, <1 x double> <double 0xBE5AE5E5A9291F5D>)
  %x13 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x12, <1 x double> %x11, <1 x double> <double 0x3EC71DE3567D48A1>)
  %x14 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x13, <1 x double> %x11, <1 x double> <double 0xBF2A01A019BFDF03>)
  %x15 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x14, <1 x double> %x11, <1 x double> <double 0x3F8111111110F7D0>)
  %x16 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x15, <1 x double> %x11, <1 x double> <double 0xBFC5555555555548>)
  %x17 = fmul <1 x double> %x16, %x11
  %x18 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x17, <1 x double> %x10, <1 x double> %x10)
  %x19 = call <1 x double> @llvm.fma.v1f64(<1 x double> <double 0xBDA8FA49A0861A9B>, <1 x double> %x11, <1 x double> <double 0x3E21EE9D7B4E3F05>)
  %x20 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x19, <1 x double> %x11, <1 x double> <double 0xBE927E4F7EAC4BC6>)
  %x21 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x20, <1 x double> %x11, <1 x double> <double 0x3EFA01A019C844F5>)
  %x22 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x21, <1 x double> %x11, <1 x double> <double 0xBF56C16C16C14F91>)
  %x23 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x22, <1 x double> %x11, <1 x double> <double 0x3FA555555555554B>)
  %x24 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x11, <1 x double> <double 0xBFE0000000000000>, <1 x double> <double 0x3FF0000000000000>)
  %x25 = fmul <1 x double> %x23, %x11
  %x26 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x25, <1 x double> %x11, <1 x double> %x24)
  %x27 = bitcast <1 x double> %x3 to <1 x i64>
  %x28 = and <1 x i64> %x27, <i64 1>
  %x29 = icmp ne <1 x i64> %x28, zeroinitializer
  %x30 = add <1 x i64> %x27, <i64 1>
  %x31 = select <1 x i1> %x29, <1 x double> %x26, <1 x double> %x18
  %x32 = and <1 x i64> %x27, <i64 2>
  %x33 = shl <1 x i64> %x32, <i64 62>
  %x34 = bitcast <1 x double> %x31 to <1 x i64>
  %x35 = xor <1 x i64> %x34, %x33
  %x36 = bitcast <1 x i64> %x35 to <1 x double>
  %x37 = select <1 x i1> %x29, <1 x double> %x18, <1 x double> %x26
  %x38 = and <1 x i64> %x30, <i64 2>
  %x39 = shl <1 x i64> %x38, <i64 62>
  %x40 = bitcast <1 x double> %x37 to <1 x i64>
  %x41 = xor <1 x i64> %x40, %x39
  %x42 = bitcast <1 x i64> %x41 to <1 x double>
  %x43 = getelementptr i8, ptr %memory, i64 520
  store <1 x double> %x42, ptr %x43, align 8
  %x44 = getelementptr i8, ptr %memory, i64 512
  store atomic i64 %number, ptr %x44 release, align 8
  %x45 = fmul <1 x double> %x36, <double 0x40239EB851EB851F>
  %x46 = getelementptr i8, ptr %memory, i64 648
  store <1 x double> %x45, ptr %x46, align 8
  %x47 = getelementptr i8, ptr %memory, i64 640
  store atomic i64 %number, ptr %x47 release, align 8
  %x48 = getelementptr i8, ptr %memory, i64 392
  %x49 = load <1 x double>, ptr %x48, align 8
  %x50 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x49, <1 x double> <double 0x3FE45F306DC9C883>, <1 x double> <double 0x4338000000000000>)
  %x51 = fsub <1 x double> %x50, <double 0x4338000000000000>
  %x52 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x51, <1 x double> <double 0xBFF921FB54442D18>, <1 x double> %x49)
  %x53 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x51, <1 x double> <double 0xBC91A62633145C07>, <1 x double> %x52)
  %x54 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x51, <1 x double> <double 0x391F1976B7ED8FBC>, <1 x double> %x53)
  %x55 = call <1 x double> @llvm.fabs.v1f64(<1 x double> %x49)
  %x56 = fcmp ole <1 x double> %x55, <double 0x4310000000000000>
  %x57 = select <1 x i1> %x56, <1 x double> %x54, <1 x double> <double 0x7FF8000000000000>
  %x58 = fmul <1 x double> %x57, %x57
  %x59 = call <1 x double> @llvm.fma.v1f64(<1 x double> <double 0x3DE5D8FD1FD19CCD>, <1 x double> %x58, <1 x double> <double 0xBE5AE5E5A9291F5D>)
  %x60 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x59, <1 x double> %x58, <1 x double> <double 0x3EC71DE3567D48A1>)
  %x61 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x60, <1 x double> %x58, <1 x double> <double 0xBF2A01A019BFDF03>)
  %x62 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x61, <1 x double> %x58, <1 x double> <double 0x3F8111111110F7D0>)
  %x63 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x62, <1 x double> %x58, <1 x double> <double 0xBFC5555555555548>)
  %x64 = fmul <1 x double> %x63, %x58
  %x65 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x64, <1 x double> %x57, <1 x double> %x57)
  %x66 = call <1 x double> @llvm.fma.v1f64(<1 x double> <double 0xBDA8FA49A0861A9B>, <1 x double> %x58, <1 x double> <double 0x3E21EE9D7B4E3F05>)
  %x67 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x66, <1 x double> %x58, <1 x double> <double 0xBE927E4F7EAC4BC6>)
  %x68 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x67, <1 x double> %x58, <1 x double> <double 0x3EFA01A019C844F5>)
  %x69 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x68, <1 x double> %x58, <1 x double> <double 0xBF56C16C16C14F91>)
  %x70 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x69, <1 x double> %x58, <1 x double> <double 0x3FA555555555554B>)
  %x71 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x58, <1 x double> <double 0xBFE0000000000000>, <1 x double> <double 0x3FF0000000000000>)
  %x72 = fmul <1 x double> %x70, %x58
  %x73 = call <1 x double> @llvm.fma.v1f64(<1 x double> %x72, <1 x double> %x58, <1 x double> %x71)
  %x74 = bitcast <1 x double> %x50 to <1 x i64>
  %x75 = and <1 x i64> %x74, <i64 1>
  %x76 = icmp ne <1 x i64> %x75, zeroinitializer
  %x77 = add <1 x i64> %x74, <i64 1>
  %x78 = select <1 x i1> %x76, <1 x double> %x73, <1 x double> %x65
  %x79 = and <1 x i64> %x74, <i64 2>
  %x80 = shl <1 x i64> %x79, <i64 62>
  %x81 = bitcast <1 x double> %x78 to <1 x i64>
  %x82 = xor <1 x i64> %x81, %x80
  %x83 = bitcast <1 x i64> %x82 to <1 x double>
  %x84 = select <1 x i1> %x76, <1 x double> %x65, <1 x double> %x73
  %x85 = and <1 x i64> %x77, <i64 2>
  %x86 = shl <1 x i64> %x85, <i64 62>
  %x87 = bitcast <1 x double> %x84 to <1 x i64>
  %x88 = xor <1 x i64> %x87, %x86
  %x89 = bitcast <1 x i64> %x88 to <1 x double>
  %x90 = getelementptr i8, ptr %memory, i64 776
  store <1 x double> %x89, ptr %x90, align 8
  %x91 = getelementptr i8, ptr %memory, i64 784
  store <1 x double> %x83, ptr %x91, align 8
  %x92 = getelementptr i8, ptr %memory, i64 768
  store atomic i64 %number, ptr %x92 release, align 8
  %x93 = getelementptr i8, ptr %memory, i64 1280
  call preserve_allcc void @wait(ptr %x93, i64 %number, ptr %memory)
  %x94 = getelementptr i8, ptr %memory, i64 1296
  %x95 = load <1 x double>, ptr %x94, align 8
  %x96 = getelementptr i8, ptr %memory, i64 1288
  %x97 = load <1 x double>, ptr %x96, align 8
  %x98 = fadd <1 x double> %x95, %x97
  %x99 = getelementptr i8, ptr %memory, i64 416
  %x100 = load <1 x double>, ptr %x99, align 8
  %x101 = getelementptr i8, ptr %memory, i64 424
  %x102 = load <1 x double>, ptr %x101, align 8
  %x103 = fadd <1 x double> %x100, %x102
  %x104 = getelementptr i8, ptr %memory, i64 904
  store <1 x double> %x103, ptr %x104, align 8
  %x105 = fmul <1 x double> %x83, %x98
  %x106 = getelementptr i8, ptr %memory, i64 1408
  call preserve_allcc void @wait(ptr %x106, i64 %number, ptr %memory)
  %x107 = getelementptr i8, ptr %memory, i64 1416
  %x108 = load <1 x double>, ptr %x107, align 8
  %x109 = fadd <1 x double> %x108, %x105
  %x110 = getelementptr i8, ptr %memory, i64 912
  store <1 x double> %x109, ptr %x110, align 8
  %x111 = getelementptr i8, ptr %memory, i64 896
  store atomic i64 %number, ptr %x111 release, align 8
  %x112 = fmul <1 x double> %x103, %x89
  %x113 = fmul <1 x double> %x36, <double 0x40339EB851EB851F>
  %x114 = getelementptr i8, ptr %memory, i64 1032
  store <1 x double> %x113, ptr %x114, align 8
  %x115 = getelementptr i8, ptr %memory, i64 1024
  store atomic i64 %number, ptr %x115 release, align 8
  %x116 = getelementptr i8, ptr %memory, i64 1536
  call preserve_allcc void @wait(ptr %x116, i64 %number, ptr %memory)
  %x117 = getelementptr i8, ptr %memory, i64 1544
  %x118 = load <1 x double>, ptr %x117, align 8
  %x119 = fsub <1 x double> %x118, %x112
  %x120 = getelementptr i8, ptr %memory, i64 1664
  call preserve_allcc void @wait(ptr %x120, i64 %number, ptr %memory)
  %x121 = getelementptr i8, ptr %memory, i64 1672
  %x122 = load <1 x double>, ptr %x121, align 8
  %x123 = fsub <1 x double> %x122, %x119
  %x124 = getelementptr i8, ptr %memory, i64 1792
  call preserve_allcc void @wait(ptr %x124, i64 %number, ptr %memory)
  %x125 = getelementptr i8, ptr %memory, i64 1800
  %x126 = load <1 x double>, ptr %x125, align 8
  %x127 = fadd <1 x double> %x126, %x123
  %x128 = getelementptr i8, ptr %memory, i64 1152
  store <1 x double> %x127, ptr %x128, align 8
  ret void
}

define void @processor0(ptr %memory, i64 %first, i64 %count) nounwind {
entry:
  %x1 = add i64 %first, %count
  br label %before2
before2:
  br label %head3
head3:
  %i.head3 = phi i64 [ %first, %before2 ], [ %n.head3, %latch5 ]
  %x7 = icmp slt i64 %i.head3, %x1
  br i1 %x7, label %body4, label %after6
body4:
  call void @part0_0(ptr %memory, i64 %i.head3)
  %x8 = getelementptr i8, ptr %memory, i64 128
  store atomic i64 %i.head3, ptr %x8 release, align 8
  fence seq_cst
  %x9 = getelementptr i8, ptr %memory, i64 256
  call preserve_allcc void @wait(ptr %x9, i64 %i.head3, ptr %memory)
  %x10 = getelementptr i8, ptr %memory, i64 8
  %x11 = load atomic i64, ptr %x10 monotonic, align 8
  %x12 = icmp ne i64 %x11, 0
  br i1 %x12, label %leave13, label %stay14
leave13:
  ret void
stay14:
  br label %latch5
latch5:
  %n.head3 = add i64 %i.head3, 1
  br label %head3
after6:
  ret void
}

define internal void @part1_0(ptr %memory, i64 %number) nounwind {
entry:
  %x1 = getelementptr i8, ptr %memory, i64 400
  %x2 = load <1 x double>, ptr %x1, align 8
  %x3 = fmul <1 x double> %x2, %x2
  %x4 = getelementptr i8, ptr %memory, i64 1288
  store <1 x double> %x3, ptr %x4, align 8
  %x5 = getelementptr i8, ptr %memory, i64 512
  call preserve_allcc void @wait(ptr %x5, i64 %number, ptr %memory)
  %x6 = getelementptr i8, ptr %memory, i64 520
  %x7 = load <1 x double>, ptr %x6, align 8
  %x8 = fmul <1 x double> <double 0x40239EB851EB851F>, %x7
  %x9 = getelementptr i8, ptr %memory, i64 1296
  store <1 x double> %x8, ptr %x9, align 8
  %x10 = getelementptr i8, ptr %memory, i64 1280
  store atomic i64 %number, ptr %x10 release, align 8
  %x11 = getelementptr i8, ptr %memory, i64 640
  call preserve_allcc void @wait(ptr %x11, i64 %number, ptr %memory)
  %x12 = getelementptr i8, ptr %memory, i64 416
  %x13 = load <1 x double>, ptr %x12, align 8
  %x14 = getelementptr i8, ptr %memory, i64 648
  %x15 = load <1 x double>, ptr %x14, align 8
  %x16 = fadd <1 x double> %x13, %x15
  %x17 = getelementptr i8, ptr %memory, i64 408
  %x18 = load <1 x double>, ptr %x17, align 8
  %x19 = fadd <1 x double> %x2, %x18
  %x20 = getelementptr i8, ptr %memory, i64 768
  call preserve_allcc void @wait(ptr %x20, i64 %number, ptr %memory)
  %x21 = getelementptr i8, ptr %memory, i64 776
  %x22 = load <1 x double>, ptr %x21, align 8
  %x23 = fmul <1 x double> %x22, %x16
  %x24 = getelementptr i8, ptr %memory, i64 1416
  store <1 x double> %x23, ptr %x24, align 8
  %x25 = getelementptr i8, ptr %memory, i64 1408
  store atomic i64 %number, ptr %x25 release, align 8
  %x26 = fmul <1 x double> %x19, %x19
  %x27 = getelementptr i8, ptr %memory, i64 784
  %x28 = load <1 x double>, ptr %x27, align 8
  %x29 = fmul <1 x double> %x28, %x26
  %x30 = getelementptr i8, ptr %memory, i64 1544
  store <1 x double> %x29, ptr %x30, align 8
  %x31 = getelementptr i8, ptr %memory, i64 1536
  store atomic i64 %number, ptr %x31 release, align 8
  %x32 = fadd <1 x double> %x13, %x13
  %x33 = getelementptr i8, ptr %memory, i64 896
  call preserve_allcc void @wait(ptr %x33, i64 %number, ptr %memory)
  %x34 = getelementptr i8, ptr %memory, i64 904
  %x35 = load <1 x double>, ptr %x34, align 8
  %x36 = getelementptr i8, ptr %memory, i64 912
  %x37 = load <1 x double>, ptr %x36, align 8
  %x38 = fadd <1 x double> %x35, %x37
  %x39 = getelementptr i8, ptr %memory, i64 1672
  store <1 x double> %x38, ptr %x39, align 8
  %x40 = getelementptr i8, ptr %memory, i64 1664
  store atomic i64 %number, ptr %x40 release, align 8
  %x41 = getelementptr i8, ptr %memory, i64 1024
  call preserve_allcc void @wait(ptr %x41, i64 %number, ptr %memory)
  %x42 = getelementptr i8, ptr %memory, i64 1032
  %x43 = load <1 x double>, ptr %x42, align 8
  %x44 = fadd <1 x double> %x32, %x43
  %x45 = getelementptr i8, ptr %memory, i64 1800
  store <1 x double> %x44, ptr %x45, align 8
  %x46 = getelementptr i8, ptr %memory, i64 1792
  store atomic i64 %number, ptr %x46 release, align 8
  ret void
}

define void @processor1(ptr %memory, i64 %first, i64 %count) nounwind {
entry:
  %x1 = add i64 %first, %count
  br label %before2
before2:
  br label %head3
head3:
  %i.head3 = phi i64 [ %first, %before2 ], [ %n.head3, %latch5 ]
  %x7 = icmp slt i64 %i.head3, %x1
  br i1 %x7, label %body4, label %after6
body4:
  call void @part1_0(ptr %memory, i64 %i.head3)
  %x8 = getelementptr i8, ptr %memory, i64 256
  store atomic i64 %i.head3, ptr %x8 release, align 8
  fence seq_cst
  %x9 = getelementptr i8, ptr %memory, i64 128
  call preserve_allcc void @wait(ptr %x9, i64 %i.head3, ptr %memory)
  %x10 = getelementptr i8, ptr %memory, i64 8
  %x11 = load atomic i64, ptr %x10 monotonic, align 8
  %x12 = icmp ne i64 %x11, 0
  br i1 %x12, label %leave13, label %stay14
leave13:
  ret void
stay14:
  br label %latch5
latch5:
  %n.head3 = add i64 %i.head3, 1
  br label %head3
after6:
  ret void
}
