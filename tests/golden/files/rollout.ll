declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)

declare <4 x double> @llvm.fabs.v4f64(<4 x double>)

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @pack(ptr noalias %array, i64 %sample_stride, i64 %element_stride, i64 %elements, i64 %samples, ptr noalias %rows) nounwind {
entry:
  %x1 = icmp eq i64 %samples, 1
  %x2 = icmp eq i64 %sample_stride, 0
  %x3 = or i1 %x1, %x2
  br i1 %x3, label %fill4, label %differ5
fill4:
  br label %before6
before6:
  br label %head7
head7:
  %i.head7 = phi i64 [ 0, %before6 ], [ %n.head7, %latch9 ]
  %x11 = icmp slt i64 %i.head7, %elements
  br i1 %x11, label %body8, label %after10
body8:
  %x12 = mul i64 %i.head7, %element_stride
  %x13 = getelementptr i8, ptr %array, i64 %x12
  %x14 = load double, ptr %x13
  %x15 = insertelement <4 x double> undef, double %x14, i32 0
  %x16 = shufflevector <4 x double> %x15, <4 x double> undef, <4 x i32> zeroinitializer
  %x17 = mul i64 %i.head7, 32
  %x18 = getelementptr i8, ptr %rows, i64 %x17
  br label %before19
before19:
  br label %head20
head20:
  %i.head20 = phi i64 [ 0, %before19 ], [ %n.head20, %latch22 ]
  %x24 = icmp slt i64 %i.head20, %samples
  br i1 %x24, label %body21, label %after23
body21:
  %x25 = lshr i64 %i.head20, 2
  %x26 = mul i64 %x25, 384
  %x27 = getelementptr i8, ptr %x18, i64 %x26
  store <4 x double> %x16, ptr %x27, align 32
  br label %latch22
latch22:
  %n.head20 = add i64 %i.head20, 4
  br label %head20
after23:
  br label %latch9
latch9:
  %n.head7 = add i64 %i.head7, 1
  br label %head7
after10:
  ret void
differ5:
  %x32 = icmp eq i64 %sample_stride, 8
  br i1 %x32, label %vectors28, label %not_vectors29
vectors28:
  %x33 = and i64 %samples, -4
  br label %before34
before34:
  br label %head35
head35:
  %i.head35 = phi i64 [ 0, %before34 ], [ %n.head35, %latch37 ]
  %x39 = icmp slt i64 %i.head35, %elements
  br i1 %x39, label %body36, label %after38
body36:
  %x40 = mul i64 %i.head35, %element_stride
  %x41 = getelementptr i8, ptr %array, i64 %x40
  %x42 = mul i64 %i.head35, 32
  %x43 = getelementptr i8, ptr %rows, i64 %x42
  br label %before44
before44:
  br label %head45
head45:
  %i.head45 = phi i64 [ 0, %before44 ], [ %n.head45, %latch47 ]
  %x49 = icmp slt i64 %i.head45, %x33
  br i1 %x49, label %body46, label %after48
body46:
  %x50 = mul i64 %i.head45, 8
  %x51 = getelementptr i8, ptr %x41, i64 %x50
  %x52 = lshr i64 %i.head45, 2
  %x53 = mul i64 %x52, 384
  %x54 = getelementptr i8, ptr %x43, i64 %x53
  %x55 = load <4 x double>, ptr %x51, align 8
  store <4 x double> %x55, ptr %x54, align 8
  br label %latch47
latch47:
  %n.head45 = add i64 %i.head45, 4
  br label %head45
after48:
  br label %latch37
latch37:
  %n.head35 = add i64 %i.head35, 1
  br label %head35
after38:
  br label %vectors_end56
vectors_end56:
  br label %single31
not_vectors29:
  %x57 = icmp eq i64 %element_stride, 8
  %x58 = icmp sge i64 %elements, 4
  %x59 = and i1 %x57, %x58
  br i1 %x59, label %tiles30, label %single31
tiles30:
  %x60 = and i64 %samples, -4
  %x61 = sub i64 %elements, 4
  br label %before62
before62:
  br label %head63
head63:
  %i.head63 = phi i64 [ 0, %before62 ], [ %n.head63, %latch65 ]
  %x67 = icmp slt i64 %i.head63, %x60
  br i1 %x67, label %body64, label %after66
body64:
  %x68 = mul i64 %i.head63, %sample_stride
  %x69 = getelementptr i8, ptr %array, i64 %x68
  %x70 = and i64 %i.head63, 3
  %x71 = mul i64 %x70, 8
  %x72 = lshr i64 %i.head63, 2
  %x73 = mul i64 %x72, 384
  %x74 = add i64 %x73, %x71
  %x75 = getelementptr i8, ptr %rows, i64 %x74
  br label %before76
before76:
  br label %head77
head77:
  %i.head77 = phi i64 [ 0, %before76 ], [ %n.head77, %latch79 ]
  %x81 = icmp slt i64 %i.head77, %elements
  br i1 %x81, label %body78, label %after80
body78:
  %x82 = icmp sgt i64 %i.head77, %x61
  %x83 = select i1 %x82, i64 %x61, i64 %i.head77
  %x84 = mul i64 %x83, 8
  %x85 = getelementptr i8, ptr %x69, i64 %x84
  %x86 = mul i64 %x83, 32
  %x87 = getelementptr i8, ptr %x75, i64 %x86
  %x88 = getelementptr i8, ptr %x85, i64 %sample_stride
  %x89 = getelementptr i8, ptr %x87, i64 32
  %x90 = getelementptr i8, ptr %x88, i64 %sample_stride
  %x91 = getelementptr i8, ptr %x89, i64 32
  %x92 = getelementptr i8, ptr %x90, i64 %sample_stride
  %x93 = getelementptr i8, ptr %x91, i64 32
  %x94 = load <4 x double>, ptr %x85, align 8
  %x95 = load <4 x double>, ptr %x88, align 8
  %x96 = load <4 x double>, ptr %x90, align 8
  %x97 = load <4 x double>, ptr %x92, align 8
  %x98 = shufflevector <4 x double> %x94, <4 x double> %x95, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %x99 = shufflevector <4 x double> %x94, <4 x double> %x95, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %x100 = shufflevector <4 x double> %x96, <4 x double> %x97, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %x101 = shufflevector <4 x double> %x96, <4 x double> %x97, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %x102 = shufflevector <4 x double> %x98, <4 x double> %x100, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %x103 = shufflevector <4 x double> %x99, <4 x double> %x101, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %x104 = shufflevector <4 x double> %x98, <4 x double> %x100, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %x105 = shufflevector <4 x double> %x99, <4 x double> %x101, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  store <4 x double> %x102, ptr %x87, align 8
  store <4 x double> %x103, ptr %x89, align 8
  store <4 x double> %x104, ptr %x91, align 8
  store <4 x double> %x105, ptr %x93, align 8
  br label %latch79
latch79:
  %n.head77 = add i64 %i.head77, 4
  br label %head77
after80:
  br label %latch65
latch65:
  %n.head63 = add i64 %i.head63, 4
  br label %head63
after66:
  br label %tiles_end106
tiles_end106:
  br label %single31
single31:
  %x107 = phi i64 [ 0, %not_vectors29 ], [ %x33, %vectors_end56 ], [ %x60, %tiles_end106 ]
  br label %before108
before108:
  br label %head109
head109:
  %i.head109 = phi i64 [ %x107, %before108 ], [ %n.head109, %latch111 ]
  %x113 = icmp slt i64 %i.head109, %samples
  br i1 %x113, label %body110, label %after112
body110:
  %x114 = mul i64 %i.head109, %sample_stride
  %x115 = getelementptr i8, ptr %array, i64 %x114
  %x116 = and i64 %i.head109, 3
  %x117 = mul i64 %x116, 8
  %x118 = lshr i64 %i.head109, 2
  %x119 = mul i64 %x118, 384
  %x120 = add i64 %x119, %x117
  %x121 = getelementptr i8, ptr %rows, i64 %x120
  br label %before122
before122:
  br label %head123
head123:
  %i.head123 = phi i64 [ 0, %before122 ], [ %n.head123, %latch125 ]
  %x127 = icmp slt i64 %i.head123, %elements
  br i1 %x127, label %body124, label %after126
body124:
  %x128 = mul i64 %i.head123, %element_stride
  %x129 = getelementptr i8, ptr %x115, i64 %x128
  %x130 = mul i64 %i.head123, 32
  %x131 = getelementptr i8, ptr %x121, i64 %x130
  %x132 = load double, ptr %x129, align 8
  store double %x132, ptr %x131, align 8
  br label %latch125
latch125:
  %n.head123 = add i64 %i.head123, 1
  br label %head123
after126:
  br label %latch111
latch111:
  %n.head109 = add i64 %i.head109, 1
  br label %head109
after112:
  ret void
}

define internal void @unpack(ptr noalias %array, i64 %sample_stride, i64 %element_stride, i64 %elements, i64 %samples, ptr noalias %rows) nounwind {
entry:
  %x5 = icmp eq i64 %sample_stride, 8
  br i1 %x5, label %vectors1, label %not_vectors2
vectors1:
  %x6 = and i64 %samples, -4
  br label %before7
before7:
  br label %head8
head8:
  %i.head8 = phi i64 [ 0, %before7 ], [ %n.head8, %latch10 ]
  %x12 = icmp slt i64 %i.head8, %elements
  br i1 %x12, label %body9, label %after11
body9:
  %x13 = mul i64 %i.head8, %element_stride
  %x14 = getelementptr i8, ptr %array, i64 %x13
  %x15 = mul i64 %i.head8, 32
  %x16 = getelementptr i8, ptr %rows, i64 %x15
  br label %before17
before17:
  br label %head18
head18:
  %i.head18 = phi i64 [ 0, %before17 ], [ %n.head18, %latch20 ]
  %x22 = icmp slt i64 %i.head18, %x6
  br i1 %x22, label %body19, label %after21
body19:
  %x23 = mul i64 %i.head18, 8
  %x24 = getelementptr i8, ptr %x14, i64 %x23
  %x25 = lshr i64 %i.head18, 2
  %x26 = mul i64 %x25, 384
  %x27 = getelementptr i8, ptr %x16, i64 %x26
  %x28 = load <4 x double>, ptr %x27, align 8
  store <4 x double> %x28, ptr %x24, align 8
  br label %latch20
latch20:
  %n.head18 = add i64 %i.head18, 4
  br label %head18
after21:
  br label %latch10
latch10:
  %n.head8 = add i64 %i.head8, 1
  br label %head8
after11:
  br label %vectors_end29
vectors_end29:
  br label %single4
not_vectors2:
  %x30 = icmp eq i64 %element_stride, 8
  %x31 = icmp sge i64 %elements, 4
  %x32 = and i1 %x30, %x31
  br i1 %x32, label %tiles3, label %single4
tiles3:
  %x33 = and i64 %samples, -4
  %x34 = sub i64 %elements, 4
  br label %before35
before35:
  br label %head36
head36:
  %i.head36 = phi i64 [ 0, %before35 ], [ %n.head36, %latch38 ]
  %x40 = icmp slt i64 %i.head36, %x33
  br i1 %x40, label %body37, label %after39
body37:
  %x41 = mul i64 %i.head36, %sample_stride
  %x42 = getelementptr i8, ptr %array, i64 %x41
  %x43 = and i64 %i.head36, 3
  %x44 = mul i64 %x43, 8
  %x45 = lshr i64 %i.head36, 2
  %x46 = mul i64 %x45, 384
  %x47 = add i64 %x46, %x44
  %x48 = getelementptr i8, ptr %rows, i64 %x47
  br label %before49
before49:
  br label %head50
head50:
  %i.head50 = phi i64 [ 0, %before49 ], [ %n.head50, %latch52 ]
  %x54 = icmp slt i64 %i.head50, %elements
  br i1 %x54, label %body51, label %after53
body51:
  %x55 = icmp sgt i64 %i.head50, %x34
  %x56 = select i1 %x55, i64 %x34, i64 %i.head50
  %x57 = mul i64 %x56, 8
  %x58 = getelementptr i8, ptr %x42, i64 %x57
  %x59 = mul i64 %x56, 32
  %x60 = getelementptr i8, ptr %x48, i64 %x59
  %x61 = getelementptr i8, ptr %x58, i64 %sample_stride
  %x62 = getelementptr i8, ptr %x60, i64 32
  %x63 = getelementptr i8, ptr %x61, i64 %sample_stride
  %x64 = getelementptr i8, ptr %x62, i64 32
  %x65 = getelementptr i8, ptr %x63, i64 %sample_stride
  %x66 = getelementptr i8, ptr %x64, i64 32
  %x67 = load <4 x double>, ptr %x60, align 8
  %x68 = load <4 x double>, ptr %x62, align 8
  %x69 = load <4 x double>, ptr %x64, align 8
  %x70 = load <4 x double>, ptr %x66, align 8
  %x71 = shufflevector <4 x double> %x67, <4 x double> %x68, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %x72 = shufflevector <4 x double> %x67, <4 x double> %x68, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %x73 = shufflevector <4 x double> %x69, <4 x double> %x70, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %x74 = shufflevector <4 x double> %x69, <4 x double> %x70, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %x75 = shufflevector <4 x double> %x71, <4 x double> %x73, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %x76 = shufflevector <4 x double> %x72, <4 x double> %x74, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %x77 = shufflevector <4 x double> %x71, <4 x double> %x73, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %x78 = shufflevector <4 x double> %x72, <4 x double> %x74, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  store <4 x double> %x75, ptr %x58, align 8
  store <4 x double> %x76, ptr %x61, align 8
  store <4 x double> %x77, ptr %x63, align 8
  store <4 x double> %x78, ptr %x65, align 8
  br label %latch52
latch52:
  %n.head50 = add i64 %i.head50, 4
  br label %head50
after53:
  br label %latch38
latch38:
  %n.head36 = add i64 %i.head36, 4
  br label %head36
after39:
  br label %tiles_end79
tiles_end79:
  br label %single4
single4:
  %x80 = phi i64 [ 0, %not_vectors2 ], [ %x6, %vectors_end29 ], [ %x33, %tiles_end79 ]
  br label %before81
before81:
  br label %head82
head82:
  %i.head82 = phi i64 [ %x80, %before81 ], [ %n.head82, %latch84 ]
  %x86 = icmp slt i64 %i.head82, %samples
  br i1 %x86, label %body83, label %after85
body83:
  %x87 = mul i64 %i.head82, %sample_stride
  %x88 = getelementptr i8, ptr %array, i64 %x87
  %x89 = and i64 %i.head82, 3
  %x90 = mul i64 %x89, 8
  %x91 = lshr i64 %i.head82, 2
  %x92 = mul i64 %x91, 384
  %x93 = add i64 %x92, %x90
  %x94 = getelementptr i8, ptr %rows, i64 %x93
  br label %before95
before95:
  br label %head96
head96:
  %i.head96 = phi i64 [ 0, %before95 ], [ %n.head96, %latch98 ]
  %x100 = icmp slt i64 %i.head96, %elements
  br i1 %x100, label %body97, label %after99
body97:
  %x101 = mul i64 %i.head96, %element_stride
  %x102 = getelementptr i8, ptr %x88, i64 %x101
  %x103 = mul i64 %i.head96, 32
  %x104 = getelementptr i8, ptr %x94, i64 %x103
  %x105 = load double, ptr %x104, align 8
  store double %x105, ptr %x102, align 8
  br label %latch98
latch98:
  %n.head96 = add i64 %i.head96, 1
  br label %head96
after99:
  br label %latch84
latch84:
  %n.head82 = add i64 %i.head82, 1
  br label %head82
after85:
  ret void
}

define internal void @angles(ptr noalias %scratch, i64 %end) nounwind {
entry:
  br label %before1
before1:
  br label %head2
head2:
  %i.head2 = phi i64 [ 0, %before1 ], [ %n.head2, %latch4 ]
  %x6 = icmp slt i64 %i.head2, %end
  br i1 %x6, label %body3, label %after5
body3:
  %x7 = getelementptr i8, ptr %scratch, i64 %i.head2
  %x8 = getelementptr i8, ptr %x7, i64 0
  %x9 = getelementptr i8, ptr %x7, i64 320
  %x10 = getelementptr i8, ptr %x7, i64 352
  br label %before11
before11:
  br label %head12
head12:
  %i.head12 = phi i64 [ 0, %before11 ], [ %n.head12, %latch14 ]
  %x16 = icmp slt i64 %i.head12, 32
  br i1 %x16, label %body13, label %after15
body13:
  %x17 = getelementptr i8, ptr %x8, i64 %i.head12
  %x18 = getelementptr i8, ptr %x9, i64 %i.head12
  %x19 = getelementptr i8, ptr %x10, i64 %i.head12
  %x20 = load <4 x double>, ptr %x17, align 32
  %x21 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x20, <4 x double> <double 0x3FE45F306DC9C883, double 0x3FE45F306DC9C883, double 0x3FE45F306DC9C883, double 0x3FE45F306DC9C883>, <4 x double> <double 0x4338000000000000, double 0x4338000000000000, double 0x4338000000000000, double 0x4338000000000000>)
  %x22 = fsub <4 x double> %x21, <double 0x4338000000000000, double 0x4338000000000000, double 0x4338000000000000, double 0x4338000000000000>
  %x23 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x22, <4 x double> <double 0xBFF921FB54442D18, double 0xBFF921FB54442D18, double 0xBFF921FB54442D18, double 0xBFF921FB54442D18>, <4 x double> %x20)
  %x24 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x22, <4 x double> <double 0xBC91A62633145C07, double 0xBC91A62633145C07, double 0xBC91A62633145C07, double 0xBC91A62633145C07>, <4 x double> %x23)
  %x25 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x22, <4 x double> <double 0x391F1976B7ED8FBC, double 0x391F1976B7ED8FBC, double 0x391F1976B7ED8FBC, double 0x391F1976B7ED8FBC>, <4 x double> %x24)
  %x26 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %x20)
  %x27 = fcmp ole <4 x double> %x26, <double 0x4310000000000000, double 0x4310000000000000, double 0x4310000000000000, double 0x4310000000000000>
  %x28 = select <4 x i1> %x27, <4 x double> %x25, <4 x double> <double 0x7FF8000000000000, double 0x7FF8000000000000, double 0x7FF8000000000000, double 0x7FF8000000000000>
  %x29 = fmul <4 x double> %x28, %x28
  %x30 = call <4 x double> @llvm.fma.v4f64(<4 x double> <double 0x3DE5D8FD1FD19CCD, double 0x3DE5D8FD1FD19CCD, double 0x3DE5D8FD1FD19CCD, double 0x3DE5D8FD1FD19CCD>, <4 x double> %x29, <4 x double> <double 0xBE5AE5E5A9291F5D, double 0xBE5AE5E5A9291F5D, double 0xBE5AE5E5A9291F5D, double 0xBE5AE5E5A9291F5D>)
  %x31 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x30, <4 x double> %x29, <4 x double> <double 0x3EC71DE3567D48A1, double 0x3EC71DE3567D48A1, double 0x3EC71DE3567D48A1, double 0x3EC71DE3567D48A1>)
  %x32 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x31, <4 x double> %x29, <4 x double> <double 0xBF2A01A019BFDF03, double 0xBF2A01A019BFDF03, double 0xBF2A01A019BFDF03, double 0xBF2A01A019BFDF03>)
  %x33 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x32, <4 x double> %x29, <4 x double> <double 0x3F8111111110F7D0, double 0x3F8111111110F7D0, double 0x3F8111111110F7D0, double 0x3F8111111110F7D0>)
  %x34 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x33, <4 x double> %x29, <4 x double> <double 0xBFC5555555555548, double 0xBFC5555555555548, double 0xBFC5555555555548, double 0xBFC5555555555548>)
  %x35 = fmul <4 x double> %x34, %x29
  %x36 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x35, <4 x double> %x28, <4 x double> %x28)
  %x37 = call <4 x double> @llvm.fma.v4f64(<4 x double> <double 0xBDA8FA49A0861A9B, double 0xBDA8FA49A0861A9B, double 0xBDA8FA49A0861A9B, double 0xBDA8FA49A0861A9B>, <4 x double> %x29, <4 x double> <double 0x3E21EE9D7B4E3F05, double 0x3E21EE9D7B4E3F05, double 0x3E21EE9D7B4E3F05, double 0x3E21EE9D7B4E3F05>)
  %x38 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x37, <4 x double> %x29, <4 x double> <double 0xBE927E4F7EAC4BC6, double 0xBE927E4F7EAC4BC6, double 0xBE927E4F7EAC4BC6, double 0xBE927E4F7EAC4BC6>)
  %x39 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x38, <4 x double> %x29, <4 x double> <double 0x3EFA01A019C844F5, double 0x3EFA01A019C844F5, double 0x3EFA01A019C844F5, double 0x3EFA01A019C844F5>)
  %x40 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x39, <4 x double> %x29, <4 x double> <double 0xBF56C16C16C14F91, double 0xBF56C16C16C14F91, double 0xBF56C16C16C14F91, double 0xBF56C16C16C14F91>)
  %x41 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x40, <4 x double> %x29, <4 x double> <double 0x3FA555555555554B, double 0x3FA555555555554B, double 0x3FA555555555554B, double 0x3FA555555555554B>)
  %x42 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x29, <4 x double> <double 0xBFE0000000000000, double 0xBFE0000000000000, double 0xBFE0000000000000, double 0xBFE0000000000000>, <4 x double> <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>)
  %x43 = fmul <4 x double> %x41, %x29
  %x44 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x43, <4 x double> %x29, <4 x double> %x42)
  %x45 = bitcast <4 x double> %x21 to <4 x i64>
  %x46 = and <4 x i64> %x45, <i64 1, i64 1, i64 1, i64 1>
  %x47 = icmp ne <4 x i64> %x46, zeroinitializer
  %x48 = add <4 x i64> %x45, <i64 1, i64 1, i64 1, i64 1>
  %x49 = select <4 x i1> %x47, <4 x double> %x44, <4 x double> %x36
  %x50 = and <4 x i64> %x45, <i64 2, i64 2, i64 2, i64 2>
  %x51 = shl <4 x i64> %x50, <i64 62, i64 62, i64 62, i64 62>
  %x52 = bitcast <4 x double> %x49 to <4 x i64>
  %x53 = xor <4 x i64> %x52, %x51
  %x54 = bitcast <4 x i64> %x53 to <4 x double>
  %x55 = select <4 x i1> %x47, <4 x double> %x36, <4 x double> %x44
  %x56 = and <4 x i64> %x48, <i64 2, i64 2, i64 2, i64 2>
  %x57 = shl <4 x i64> %x56, <i64 62, i64 62, i64 62, i64 62>
  %x58 = bitcast <4 x double> %x55 to <4 x i64>
  %x59 = xor <4 x i64> %x58, %x57
  %x60 = bitcast <4 x i64> %x59 to <4 x double>
  store <4 x double> %x54, ptr %x18, align 32
  store <4 x double> %x60, ptr %x19, align 32
  br label %latch14
latch14:
  %n.head12 = add i64 %i.head12, 32
  br label %head12
after15:
  br label %latch4
latch4:
  %n.head2 = add i64 %i.head2, 384
  br label %head2
after5:
  ret void
}

define internal void @piece0(ptr noalias %scratch, i64 %end) nounwind {
entry:
  br label %before1
before1:
  br label %head2
head2:
  %i.head2 = phi i64 [ 0, %before1 ], [ %n.head2, %latch4 ]
  %x6 = icmp slt i64 %i.head2, %end
  br i1 %x6, label %body3, label %after5
body3:
  %x7 = getelementptr i8, ptr %scratch, i64 %i.head2
  %x8 = getelementptr i8, ptr %x7, i64 320
  %x9 = load <4 x double>, ptr %x8, align 32
  %x10 = getelementptr i8, ptr %x7, i64 128
  %x11 = load <4 x double>, ptr %x10, align 32
  %x12 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x9, <4 x double> <double 0xC0139EB851EB851F, double 0xC0139EB851EB851F, double 0xC0139EB851EB851F, double 0xC0139EB851EB851F>, <4 x double> %x11)
  %x13 = getelementptr i8, ptr %x7, i64 32
  %x14 = load <4 x double>, ptr %x13, align 32
  %x15 = call <4 x double> @llvm.fma.v4f64(<4 x double> <double 0x3F6887AE7D24302A, double 0x3F6887AE7D24302A, double 0x3F6887AE7D24302A, double 0x3F6887AE7D24302A>, <4 x double> %x12, <4 x double> %x14)
  %x16 = getelementptr i8, ptr %x7, i64 192
  store <4 x double> %x15, ptr %x16, align 32
  %x17 = getelementptr i8, ptr %x7, i64 0
  %x18 = load <4 x double>, ptr %x17, align 32
  %x19 = call <4 x double> @llvm.fma.v4f64(<4 x double> <double 0x3F50624DD2F1A9FC, double 0x3F50624DD2F1A9FC, double 0x3F50624DD2F1A9FC, double 0x3F50624DD2F1A9FC>, <4 x double> %x15, <4 x double> %x18)
  %x20 = getelementptr i8, ptr %x7, i64 160
  store <4 x double> %x19, ptr %x20, align 32
  %x21 = getelementptr i8, ptr %x7, i64 64
  %x22 = load <4 x double>, ptr %x21, align 32
  %x23 = fadd <4 x double> <double 0x3F50624DD2F1A9FC, double 0x3F50624DD2F1A9FC, double 0x3F50624DD2F1A9FC, double 0x3F50624DD2F1A9FC>, %x22
  %x24 = getelementptr i8, ptr %x7, i64 224
  store <4 x double> %x23, ptr %x24, align 32
  %x25 = getelementptr i8, ptr %x7, i64 96
  %x26 = load <4 x double>, ptr %x25, align 32
  %x27 = fcmp olt <4 x double> %x26, <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x28 = select <4 x i1> %x27, <4 x double> <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x29 = select <4 x i1> %x27, <4 x double> %x26, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x30 = fcmp une <4 x double> %x28, <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x31 = xor <4 x i1> %x30, <i1 true, i1 true, i1 true, i1 true>
  %x32 = select <4 x i1> %x31, <4 x double> <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x33 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %x19)
  %x34 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %x15)
  %x35 = fadd <4 x double> %x33, %x34
  %x36 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %x23)
  %x37 = fadd <4 x double> %x35, %x36
  %x38 = fcmp ole <4 x double> %x37, <double 0x7FEFFFFFFFFFFFFF, double 0x7FEFFFFFFFFFFFFF, double 0x7FEFFFFFFFFFFFFF, double 0x7FEFFFFFFFFFFFFF>
  %x39 = select <4 x i1> %x38, <4 x double> <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x40 = fadd <4 x double> %x26, <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>
  %x41 = select <4 x i1> %x38, <4 x double> %x40, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x42 = fcmp une <4 x double> %x39, <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x43 = xor <4 x i1> %x42, <i1 true, i1 true, i1 true, i1 true>
  %x44 = select <4 x i1> %x43, <4 x double> <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x45 = fneg <4 x double> %x40
  %x46 = select <4 x i1> %x43, <4 x double> %x45, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x47 = fadd <4 x double> %x41, %x46
  %x48 = select <4 x i1> %x31, <4 x double> %x47, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x49 = fadd <4 x double> %x29, %x48
  %x50 = getelementptr i8, ptr %x7, i64 256
  store <4 x double> %x49, ptr %x50, align 32
  %x51 = getelementptr i8, ptr %x7, i64 288
  store <4 x double> %x11, ptr %x51, align 32
  br label %latch4
latch4:
  %n.head2 = add i64 %i.head2, 384
  br label %head2
after5:
  ret void
}

define internal i32 @run(ptr noalias %arrays, i64 %start, i64 %end, ptr %next) nounwind {
entry:
  %x1 = alloca [3072 x i8], align 64
  %x2 = getelementptr i8, ptr %arrays, i64 0
  %x3 = load i64, ptr %x2
  %x4 = getelementptr i8, ptr %arrays, i64 8
  %x5 = load i64, ptr %x4
  %x6 = getelementptr i8, ptr %arrays, i64 16
  %x7 = getelementptr i8, ptr %x6, i64 0
  %x8 = load ptr, ptr %x7
  %x9 = getelementptr i8, ptr %x6, i64 8
  %x10 = load i64, ptr %x9
  %x11 = getelementptr i8, ptr %x6, i64 16
  %x12 = load i64, ptr %x11
  %x13 = getelementptr i8, ptr %x6, i64 24
  %x14 = load i64, ptr %x13
  %x15 = getelementptr i8, ptr %x6, i64 32
  %x16 = load ptr, ptr %x15
  %x17 = getelementptr i8, ptr %x6, i64 40
  %x18 = load i64, ptr %x17
  %x19 = getelementptr i8, ptr %x6, i64 48
  %x20 = load i64, ptr %x19
  %x21 = getelementptr i8, ptr %x6, i64 56
  %x22 = load i64, ptr %x21
  %x23 = getelementptr i8, ptr %x6, i64 64
  %x24 = load ptr, ptr %x23
  %x25 = getelementptr i8, ptr %x6, i64 72
  %x26 = load i64, ptr %x25
  %x27 = getelementptr i8, ptr %x6, i64 80
  %x28 = load i64, ptr %x27
  %x29 = getelementptr i8, ptr %x6, i64 88
  %x30 = load i64, ptr %x29
  %x31 = getelementptr i8, ptr %x6, i64 96
  %x32 = load ptr, ptr %x31
  %x33 = getelementptr i8, ptr %x6, i64 104
  %x34 = load i64, ptr %x33
  %x35 = getelementptr i8, ptr %x6, i64 112
  %x36 = load i64, ptr %x35
  %x37 = getelementptr i8, ptr %x6, i64 120
  %x38 = load i64, ptr %x37
  %x39 = getelementptr i8, ptr %x6, i64 128
  %x40 = load ptr, ptr %x39
  %x41 = getelementptr i8, ptr %x6, i64 136
  %x42 = load i64, ptr %x41
  %x43 = getelementptr i8, ptr %x6, i64 144
  %x44 = load i64, ptr %x43
  %x45 = getelementptr i8, ptr %x6, i64 152
  %x46 = load i64, ptr %x45
  %x47 = getelementptr i8, ptr %x6, i64 160
  %x48 = load ptr, ptr %x47
  %x49 = getelementptr i8, ptr %x6, i64 168
  %x50 = load i64, ptr %x49
  %x51 = getelementptr i8, ptr %x6, i64 176
  %x52 = load i64, ptr %x51
  %x53 = getelementptr i8, ptr %x6, i64 184
  %x54 = load i64, ptr %x53
  %x55 = getelementptr i8, ptr %x6, i64 192
  %x56 = load ptr, ptr %x55
  %x57 = getelementptr i8, ptr %x6, i64 200
  %x58 = load i64, ptr %x57
  %x59 = getelementptr i8, ptr %x6, i64 208
  %x60 = load i64, ptr %x59
  %x61 = getelementptr i8, ptr %x6, i64 216
  %x62 = load i64, ptr %x61
  %x63 = getelementptr i8, ptr %x6, i64 224
  %x64 = load ptr, ptr %x63
  %x65 = getelementptr i8, ptr %x6, i64 232
  %x66 = load i64, ptr %x65
  %x67 = getelementptr i8, ptr %x6, i64 240
  %x68 = load i64, ptr %x67
  %x69 = getelementptr i8, ptr %x6, i64 248
  %x70 = load i64, ptr %x69
  %x71 = getelementptr i8, ptr %x6, i64 256
  %x72 = load ptr, ptr %x71
  %x73 = getelementptr i8, ptr %x6, i64 264
  %x74 = load i64, ptr %x73
  %x75 = getelementptr i8, ptr %x6, i64 272
  %x76 = load i64, ptr %x75
  %x77 = getelementptr i8, ptr %x6, i64 280
  %x78 = load i64, ptr %x77
  %x79 = getelementptr i8, ptr %x6, i64 288
  %x80 = load ptr, ptr %x79
  %x81 = getelementptr i8, ptr %x6, i64 296
  %x82 = load i64, ptr %x81
  %x83 = getelementptr i8, ptr %x6, i64 304
  %x84 = load i64, ptr %x83
  %x85 = getelementptr i8, ptr %x6, i64 312
  %x86 = load i64, ptr %x85
  %x87 = getelementptr i8, ptr %x6, i64 320
  %x88 = load ptr, ptr %x87
  %x89 = getelementptr i8, ptr %x6, i64 328
  %x90 = load i64, ptr %x89
  %x91 = getelementptr i8, ptr %x6, i64 336
  %x92 = load i64, ptr %x91
  %x93 = getelementptr i8, ptr %x6, i64 344
  %x94 = load i64, ptr %x93
  %x95 = getelementptr i8, ptr %x6, i64 352
  %x96 = load ptr, ptr %x95
  %x97 = getelementptr i8, ptr %x6, i64 360
  %x98 = load i64, ptr %x97
  %x99 = getelementptr i8, ptr %x6, i64 368
  %x100 = load i64, ptr %x99
  %x101 = getelementptr i8, ptr %x6, i64 376
  %x102 = load i64, ptr %x101
  %x103 = getelementptr i8, ptr %x6, i64 384
  %x104 = load ptr, ptr %x103
  %x105 = getelementptr i8, ptr %x6, i64 392
  %x106 = load i64, ptr %x105
  %x107 = getelementptr i8, ptr %x6, i64 400
  %x108 = load i64, ptr %x107
  %x109 = getelementptr i8, ptr %x6, i64 408
  %x110 = load i64, ptr %x109
  %x111 = getelementptr i8, ptr %x6, i64 416
  %x112 = load ptr, ptr %x111
  %x113 = getelementptr i8, ptr %x6, i64 424
  %x114 = load i64, ptr %x113
  %x115 = getelementptr i8, ptr %x6, i64 432
  %x116 = load i64, ptr %x115
  %x117 = getelementptr i8, ptr %x6, i64 440
  %x118 = load i64, ptr %x117
  %x119 = getelementptr i8, ptr %x6, i64 448
  %x120 = load ptr, ptr %x119
  %x121 = getelementptr i8, ptr %x6, i64 456
  %x122 = load i64, ptr %x121
  %x123 = getelementptr i8, ptr %x6, i64 464
  %x124 = load i64, ptr %x123
  %x125 = getelementptr i8, ptr %x6, i64 472
  %x126 = load i64, ptr %x125
  br label %before127
before127:
  br label %head128
head128:
  %i.head128 = phi i64 [ %start, %before127 ], [ %n.head128, %latch130 ]
  %x132 = icmp slt i64 %i.head128, %end
  br i1 %x132, label %body129, label %after131
body129:
  %x133 = sub i64 %end, %i.head128
  %x134 = icmp slt i64 %x133, 32
  %x135 = select i1 %x134, i64 %x133, i64 32
  %x136 = add i64 %x135, 3
  %x137 = lshr i64 %x136, 2
  %x138 = mul i64 %x137, 384
  %x139 = mul i64 %i.head128, %x10
  %x140 = getelementptr i8, ptr %x8, i64 %x139
  %x141 = getelementptr i8, ptr %x1, i64 0
  call void @pack(ptr %x140, i64 %x10, i64 %x12, i64 1, i64 %x135, ptr %x141)
  %x142 = mul i64 %i.head128, %x18
  %x143 = getelementptr i8, ptr %x16, i64 %x142
  %x144 = getelementptr i8, ptr %x1, i64 32
  call void @pack(ptr %x143, i64 %x18, i64 %x20, i64 1, i64 %x135, ptr %x144)
  %x145 = mul i64 %i.head128, %x26
  %x146 = getelementptr i8, ptr %x24, i64 %x145
  %x147 = getelementptr i8, ptr %x1, i64 64
  call void @pack(ptr %x146, i64 %x26, i64 %x28, i64 0, i64 %x135, ptr %x147)
  %x148 = mul i64 %i.head128, %x34
  %x149 = getelementptr i8, ptr %x32, i64 %x148
  %x150 = getelementptr i8, ptr %x1, i64 64
  call void @pack(ptr %x149, i64 %x34, i64 %x36, i64 1, i64 %x135, ptr %x150)
  %x151 = mul i64 %i.head128, %x42
  %x152 = getelementptr i8, ptr %x40, i64 %x151
  %x153 = getelementptr i8, ptr %x1, i64 96
  call void @pack(ptr %x152, i64 %x42, i64 %x44, i64 0, i64 %x135, ptr %x153)
  %x154 = mul i64 %i.head128, %x50
  %x155 = getelementptr i8, ptr %x48, i64 %x154
  %x156 = getelementptr i8, ptr %x1, i64 96
  call void @pack(ptr %x155, i64 %x50, i64 %x52, i64 1, i64 %x135, ptr %x156)
  br label %before157
before157:
  br label %head158
head158:
  %i.head158 = phi i64 [ 0, %before157 ], [ %n.head158, %latch160 ]
  %x162 = icmp slt i64 %i.head158, %x3
  %x163 = load atomic i64, ptr %next monotonic, align 8
  %x164 = icmp slt i64 %x163, 4611686018427387904
  %x165 = and i1 %x162, %x164
  br i1 %x165, label %body159, label %after161
body159:
  %x166 = mul i64 %i.head128, %x58
  %x167 = getelementptr i8, ptr %x56, i64 %x166
  %x168 = mul i64 %i.head158, %x62
  %x169 = getelementptr i8, ptr %x167, i64 %x168
  %x170 = getelementptr i8, ptr %x1, i64 128
  call void @pack(ptr %x169, i64 %x58, i64 %x60, i64 1, i64 %x135, ptr %x170)
  call void @angles(ptr %x1, i64 %x138)
  call void @piece0(ptr %x1, i64 %x138)
  br label %before171
before171:
  br label %head172
head172:
  %i.head172 = phi i64 [ 0, %before171 ], [ %n.head172, %latch174 ]
  %x176 = icmp slt i64 %i.head172, %x138
  br i1 %x176, label %body173, label %after175
body173:
  %x177 = getelementptr i8, ptr %x1, i64 %i.head172
  %x178 = getelementptr i8, ptr %x177, i64 160
  call void @llvm.memcpy.p0.p0.i64(ptr %x177, ptr %x178, i64 128, i1 false)
  br label %latch174
latch174:
  %n.head172 = add i64 %i.head172, 384
  br label %head172
after175:
  %x179 = add i64 %i.head158, 1
  %x180 = urem i64 %x179, %x5
  %x181 = icmp eq i64 %x180, 0
  br i1 %x181, label %write182, label %done183
write182:
  %x184 = udiv i64 %i.head158, %x5
  %x185 = mul i64 %i.head128, %x114
  %x186 = getelementptr i8, ptr %x112, i64 %x185
  %x187 = mul i64 %x184, %x118
  %x188 = getelementptr i8, ptr %x186, i64 %x187
  %x189 = getelementptr i8, ptr %x1, i64 160
  call void @unpack(ptr %x188, i64 %x114, i64 %x116, i64 1, i64 %x135, ptr %x189)
  %x190 = mul i64 %i.head128, %x122
  %x191 = getelementptr i8, ptr %x120, i64 %x190
  %x192 = mul i64 %x184, %x126
  %x193 = getelementptr i8, ptr %x191, i64 %x192
  %x194 = getelementptr i8, ptr %x1, i64 192
  call void @unpack(ptr %x193, i64 %x122, i64 %x124, i64 1, i64 %x135, ptr %x194)
  br label %done183
done183:
  br label %latch160
latch160:
  %n.head158 = add i64 %i.head158, 1
  br label %head158
after161:
  %x195 = mul i64 %i.head128, %x66
  %x196 = getelementptr i8, ptr %x64, i64 %x195
  %x197 = getelementptr i8, ptr %x1, i64 160
  call void @unpack(ptr %x196, i64 %x66, i64 %x68, i64 1, i64 %x135, ptr %x197)
  %x198 = mul i64 %i.head128, %x74
  %x199 = getelementptr i8, ptr %x72, i64 %x198
  %x200 = getelementptr i8, ptr %x1, i64 192
  call void @unpack(ptr %x199, i64 %x74, i64 %x76, i64 1, i64 %x135, ptr %x200)
  %x201 = mul i64 %i.head128, %x82
  %x202 = getelementptr i8, ptr %x80, i64 %x201
  %x203 = getelementptr i8, ptr %x1, i64 224
  call void @unpack(ptr %x202, i64 %x82, i64 %x84, i64 0, i64 %x135, ptr %x203)
  %x204 = mul i64 %i.head128, %x90
  %x205 = getelementptr i8, ptr %x88, i64 %x204
  %x206 = getelementptr i8, ptr %x1, i64 224
  call void @unpack(ptr %x205, i64 %x90, i64 %x92, i64 1, i64 %x135, ptr %x206)
  %x207 = mul i64 %i.head128, %x98
  %x208 = getelementptr i8, ptr %x96, i64 %x207
  %x209 = getelementptr i8, ptr %x1, i64 256
  call void @unpack(ptr %x208, i64 %x98, i64 %x100, i64 0, i64 %x135, ptr %x209)
  %x210 = mul i64 %i.head128, %x106
  %x211 = getelementptr i8, ptr %x104, i64 %x210
  %x212 = getelementptr i8, ptr %x1, i64 256
  call void @unpack(ptr %x211, i64 %x106, i64 %x108, i64 1, i64 %x135, ptr %x212)
  br label %latch130
latch130:
  %n.head128 = add i64 %i.head128, 32
  br label %head128
after131:
  ret i32 0
}

define i32 @share(ptr %arrays, ptr %next, i64 %end, i64 %turn) nounwind {
entry:
  br label %head
head:
  %start = atomicrmw add ptr %next, i64 %turn monotonic
  %more = icmp slt i64 %start, %end
  br i1 %more, label %body, label %done
body:
  %past = add i64 %start, %turn
  %short = icmp slt i64 %past, %end
  %stop = select i1 %short, i64 %past, i64 %end
  %failed = call i32 @run(ptr %arrays, i64 %start, i64 %stop, ptr %next)
  %good = icmp eq i32 %failed, 0
  br i1 %good, label %head, label %done
done:
  %result = phi i32 [ 0, %head ], [ %failed, %body ]
  ret i32 %result
}
