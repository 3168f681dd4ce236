declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)

declare <4 x double> @llvm.fabs.v4f64(<4 x double>)

declare <4 x double> @llvm.sqrt.v4f64(<4 x double>)

declare double @phalanx_atan2(double, double)

declare <4 x double> @llvm.floor.v4f64(<4 x double>)

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
  %x26 = mul i64 %x25, 320
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
  %x53 = mul i64 %x52, 320
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
  %x73 = mul i64 %x72, 320
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
  %x119 = mul i64 %x118, 320
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
  %x26 = mul i64 %x25, 320
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
  %x46 = mul i64 %x45, 320
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
  %x92 = mul i64 %x91, 320
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
  %x9 = getelementptr i8, ptr %x7, i64 256
  %x10 = getelementptr i8, ptr %x7, i64 288
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
  %n.head2 = add i64 %i.head2, 320
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
  %x8 = getelementptr i8, ptr %x7, i64 0
  %x9 = load <4 x double>, ptr %x8, align 32
  %x10 = getelementptr i8, ptr %x7, i64 64
  %x11 = load <4 x double>, ptr %x10, align 32
  %x12 = fcmp olt <4 x double> %x9, %x11
  %x13 = select <4 x i1> %x12, <4 x double> <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x14 = getelementptr i8, ptr %x7, i64 32
  %x15 = load <4 x double>, ptr %x14, align 32
  %x16 = fmul <4 x double> %x15, %x15
  %x17 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x9, <4 x double> %x9, <4 x double> %x16)
  %x18 = fadd <4 x double> %x17, <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>
  %x19 = call <4 x double> @llvm.sqrt.v4f64(<4 x double> %x18)
  %x20 = getelementptr i8, ptr %x7, i64 224
  store <4 x double> %x19, ptr %x20, align 32
  %x21 = getelementptr i8, ptr %x7, i64 256
  %x22 = load <4 x double>, ptr %x21, align 32
  %x23 = fdiv <4 x double> %x22, %x19
  %x24 = select <4 x i1> %x12, <4 x double> %x23, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x25 = fcmp une <4 x double> %x13, <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x26 = xor <4 x i1> %x25, <i1 true, i1 true, i1 true, i1 true>
  %x27 = select <4 x i1> %x26, <4 x double> <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x28 = getelementptr i8, ptr %x7, i64 288
  %x29 = load <4 x double>, ptr %x28, align 32
  %x30 = fmul <4 x double> %x19, %x29
  %x31 = select <4 x i1> %x26, <4 x double> %x30, <4 x double> <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x32 = fadd <4 x double> %x24, %x31
  %x33 = getelementptr i8, ptr %x7, i64 96
  store <4 x double> %x32, ptr %x33, align 32
  %x34 = extractelement <4 x double> %x15, i32 0
  %x35 = extractelement <4 x double> %x19, i32 0
  %x36 = call double @phalanx_atan2(double %x34, double %x35)
  %x37 = insertelement <4 x double> undef, double %x36, i32 0
  %x38 = extractelement <4 x double> %x15, i32 1
  %x39 = extractelement <4 x double> %x19, i32 1
  %x40 = call double @phalanx_atan2(double %x38, double %x39)
  %x41 = insertelement <4 x double> %x37, double %x40, i32 1
  %x42 = extractelement <4 x double> %x15, i32 2
  %x43 = extractelement <4 x double> %x19, i32 2
  %x44 = call double @phalanx_atan2(double %x42, double %x43)
  %x45 = insertelement <4 x double> %x41, double %x44, i32 2
  %x46 = extractelement <4 x double> %x15, i32 3
  %x47 = extractelement <4 x double> %x19, i32 3
  %x48 = call double @phalanx_atan2(double %x46, double %x47)
  %x49 = insertelement <4 x double> %x45, double %x48, i32 3
  %x50 = getelementptr i8, ptr %x7, i64 160
  store <4 x double> %x49, ptr %x50, align 32
  %x51 = fneg <4 x double> %x11
  %x52 = fcmp ogt <4 x double> %x15, %x51
  %x53 = fcmp uno <4 x double> %x51, %x51
  %x54 = or <4 x i1> %x52, %x53
  %x55 = select <4 x i1> %x54, <4 x double> %x15, <4 x double> %x51
  %x56 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %x11)
  %x57 = fcmp olt <4 x double> %x55, %x56
  %x58 = fcmp uno <4 x double> %x56, %x56
  %x59 = or <4 x i1> %x57, %x58
  %x60 = select <4 x i1> %x59, <4 x double> %x55, <4 x double> %x56
  %x61 = getelementptr i8, ptr %x7, i64 128
  store <4 x double> %x60, ptr %x61, align 32
  %x62 = fcmp ogt <4 x double> %x9, <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x63 = fcmp olt <4 x double> %x9, <double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000, double 0x0000000000000000>
  %x64 = select <4 x i1> %x62, <4 x double> <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>, <4 x double> %x9
  %x65 = select <4 x i1> %x63, <4 x double> <double 0xBFF0000000000000, double 0xBFF0000000000000, double 0xBFF0000000000000, double 0xBFF0000000000000>, <4 x double> %x64
  %x66 = call <4 x double> @llvm.floor.v4f64(<4 x double> %x11)
  %x67 = fmul <4 x double> %x65, %x66
  %x68 = getelementptr i8, ptr %x7, i64 192
  store <4 x double> %x67, ptr %x68, align 32
  br label %latch4
latch4:
  %n.head2 = add i64 %i.head2, 320
  br label %head2
after5:
  ret void
}

define internal i32 @run(ptr noalias %arrays, i64 %start, i64 %end, ptr %next) nounwind {
entry:
  %x1 = alloca [2560 x i8], align 64
  %x2 = getelementptr i8, ptr %arrays, i64 0
  %x3 = load ptr, ptr %x2
  %x4 = getelementptr i8, ptr %arrays, i64 8
  %x5 = load i64, ptr %x4
  %x6 = getelementptr i8, ptr %arrays, i64 16
  %x7 = load i64, ptr %x6
  %x8 = getelementptr i8, ptr %arrays, i64 24
  %x9 = load ptr, ptr %x8
  %x10 = getelementptr i8, ptr %arrays, i64 32
  %x11 = load i64, ptr %x10
  %x12 = getelementptr i8, ptr %arrays, i64 40
  %x13 = load i64, ptr %x12
  %x14 = getelementptr i8, ptr %arrays, i64 48
  %x15 = load ptr, ptr %x14
  %x16 = getelementptr i8, ptr %arrays, i64 56
  %x17 = load i64, ptr %x16
  %x18 = getelementptr i8, ptr %arrays, i64 64
  %x19 = load i64, ptr %x18
  %x20 = getelementptr i8, ptr %arrays, i64 72
  %x21 = load ptr, ptr %x20
  %x22 = getelementptr i8, ptr %arrays, i64 80
  %x23 = load i64, ptr %x22
  %x24 = getelementptr i8, ptr %arrays, i64 88
  %x25 = load i64, ptr %x24
  br label %before26
before26:
  br label %head27
head27:
  %i.head27 = phi i64 [ %start, %before26 ], [ %n.head27, %latch29 ]
  %x31 = icmp slt i64 %i.head27, %end
  br i1 %x31, label %body28, label %after30
body28:
  %x32 = sub i64 %end, %i.head27
  %x33 = icmp slt i64 %x32, 32
  %x34 = select i1 %x33, i64 %x32, i64 32
  %x35 = add i64 %x34, 3
  %x36 = lshr i64 %x35, 2
  %x37 = mul i64 %x36, 320
  %x38 = mul i64 %i.head27, %x5
  %x39 = getelementptr i8, ptr %x3, i64 %x38
  %x40 = getelementptr i8, ptr %x1, i64 0
  %x41 = mul i64 %i.head27, %x11
  %x42 = getelementptr i8, ptr %x9, i64 %x41
  %x43 = getelementptr i8, ptr %x1, i64 64
  %x44 = mul i64 %i.head27, %x17
  %x45 = getelementptr i8, ptr %x15, i64 %x44
  %x46 = getelementptr i8, ptr %x1, i64 96
  %x47 = mul i64 %i.head27, %x23
  %x48 = getelementptr i8, ptr %x21, i64 %x47
  %x49 = getelementptr i8, ptr %x1, i64 224
  call void @pack(ptr %x39, i64 %x5, i64 %x7, i64 2, i64 %x34, ptr %x40)
  call void @pack(ptr %x42, i64 %x11, i64 %x13, i64 1, i64 %x34, ptr %x43)
  call void @angles(ptr %x1, i64 %x37)
  call void @piece0(ptr %x1, i64 %x37)
  call void @unpack(ptr %x45, i64 %x17, i64 %x19, i64 4, i64 %x34, ptr %x46)
  call void @unpack(ptr %x48, i64 %x23, i64 %x25, i64 1, i64 %x34, ptr %x49)
  br label %latch29
latch29:
  %n.head27 = add i64 %i.head27, 32
  br label %head27
after30:
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

@phalanx_table = external global [9 x ptr]
@no_batch = private constant i64 -1

define ptr @call(ptr %self, ptr %arguments, i64 %count, ptr %names) nounwind {
entry:
  %x2 = alloca [96 x i8], align 8
  %x3 = alloca [2 x ptr], align 8
  %x4 = alloca [3 x i64], align 8
  %x5 = alloca [2 x i64], align 8
  %x6 = icmp eq i64 %count, 2
  br i1 %x6, label %checked7, label %general1
checked7:
  %x8 = getelementptr i8, ptr @phalanx_table, i64 0
  %x9 = load ptr, ptr %x8
  %x10 = getelementptr i8, ptr @phalanx_table, i64 8
  %x11 = load ptr, ptr %x10
  %x15 = icmp eq ptr %names, null
  br i1 %x15, label %plain12, label %named13
named13:
  %x16 = getelementptr i8, ptr %names, i64 16
  %x17 = load i64, ptr %x16
  %x18 = icmp eq i64 %x17, 1
  br i1 %x18, label %checked19, label %general1
checked19:
  %x20 = getelementptr i8, ptr %names, i64 24
  %x21 = load ptr, ptr %x20
  %x22 = getelementptr i8, ptr @phalanx_table, i64 56
  %x23 = load ptr, ptr %x22
  %x24 = icmp eq ptr %x21, %x23
  br i1 %x24, label %checked25, label %general1
checked25:
  br i1 false, label %checked26, label %general1
checked26:
  %x27 = getelementptr i8, ptr %arguments, i64 16
  %x28 = load ptr, ptr %x27
  br label %last29
last29:
  br label %known14
plain12:
  br label %known14
known14:
  %x30 = phi ptr [ null, %plain12 ], [ %x28, %last29 ]
  %x31 = getelementptr i8, ptr %arguments, i64 0
  %x32 = load ptr, ptr %x31
  %x33 = getelementptr i8, ptr %x32, i64 8
  %x34 = load ptr, ptr %x33
  %x35 = icmp eq ptr %x34, %x9
  br i1 %x35, label %checked36, label %general1
checked36:
  %x37 = getelementptr i8, ptr %x32, i64 56
  %x38 = load ptr, ptr %x37
  %x39 = icmp eq ptr %x38, %x11
  br i1 %x39, label %checked40, label %general1
checked40:
  %x41 = getelementptr i8, ptr %x32, i64 64
  %x42 = load i32, ptr %x41
  %x43 = and i32 %x42, 257
  %x44 = icmp eq i32 %x43, 257
  br i1 %x44, label %checked45, label %general1
checked45:
  %x46 = getelementptr i8, ptr %x32, i64 24
  %x47 = load i32, ptr %x46
  %x48 = zext i32 %x47 to i64
  %x49 = sub i64 %x48, 1
  %x50 = icmp ult i64 %x49, 2
  br i1 %x50, label %checked51, label %general1
checked51:
  %x52 = getelementptr i8, ptr %x32, i64 32
  %x53 = load ptr, ptr %x52
  %x54 = icmp eq i64 %x49, 1
  %x55 = select i1 %x54, ptr %x53, ptr @no_batch
  %x56 = load i64, ptr %x55
  %x57 = mul i64 %x49, 8
  %x58 = getelementptr i8, ptr %x53, i64 %x57
  %x59 = getelementptr i8, ptr %x58, i64 0
  %x60 = load i64, ptr %x59
  %x61 = icmp eq i64 %x60, 2
  br i1 %x61, label %checked62, label %general1
checked62:
  %x63 = icmp eq i64 -1, -1
  %x64 = icmp eq i64 %x56, -1
  %x65 = or i1 %x63, %x64
  %x66 = icmp eq i64 %x56, -1
  %x67 = or i1 %x65, %x66
  br i1 %x67, label %checked68, label %general1
checked68:
  %x69 = mul i64 %x49, 16
  %x70 = getelementptr i8, ptr %x32, i64 16
  %x71 = load ptr, ptr %x70
  %x72 = getelementptr i8, ptr %x2, i64 0
  store ptr %x71, ptr %x72
  %x73 = getelementptr i8, ptr %x2, i64 8
  store i64 %x69, ptr %x73
  %x74 = getelementptr i8, ptr %x2, i64 16
  store i64 8, ptr %x74
  %x75 = select i1 %x66, i64 -1, i64 %x56
  %x76 = getelementptr i8, ptr %x32, i64 16
  %x77 = load ptr, ptr %x76
  %x78 = getelementptr i8, ptr %arguments, i64 8
  %x79 = load ptr, ptr %x78
  %x80 = getelementptr i8, ptr %x79, i64 8
  %x81 = load ptr, ptr %x80
  %x82 = icmp eq ptr %x81, %x9
  br i1 %x82, label %checked83, label %general1
checked83:
  %x84 = getelementptr i8, ptr %x79, i64 56
  %x85 = load ptr, ptr %x84
  %x86 = icmp eq ptr %x85, %x11
  br i1 %x86, label %checked87, label %general1
checked87:
  %x88 = getelementptr i8, ptr %x79, i64 64
  %x89 = load i32, ptr %x88
  %x90 = and i32 %x89, 257
  %x91 = icmp eq i32 %x90, 257
  br i1 %x91, label %checked92, label %general1
checked92:
  %x93 = getelementptr i8, ptr %x79, i64 24
  %x94 = load i32, ptr %x93
  %x95 = zext i32 %x94 to i64
  %x96 = sub i64 %x95, 1
  %x97 = icmp ult i64 %x96, 2
  br i1 %x97, label %checked98, label %general1
checked98:
  %x99 = getelementptr i8, ptr %x79, i64 32
  %x100 = load ptr, ptr %x99
  %x101 = icmp eq i64 %x96, 1
  %x102 = select i1 %x101, ptr %x100, ptr @no_batch
  %x103 = load i64, ptr %x102
  %x104 = mul i64 %x96, 8
  %x105 = getelementptr i8, ptr %x100, i64 %x104
  %x106 = getelementptr i8, ptr %x105, i64 0
  %x107 = load i64, ptr %x106
  %x108 = icmp eq i64 %x107, 1
  br i1 %x108, label %checked109, label %general1
checked109:
  %x110 = icmp eq i64 %x75, -1
  %x111 = icmp eq i64 %x103, %x75
  %x112 = or i1 %x110, %x111
  %x113 = icmp eq i64 %x103, -1
  %x114 = or i1 %x112, %x113
  br i1 %x114, label %checked115, label %general1
checked115:
  %x116 = mul i64 %x96, 8
  %x117 = getelementptr i8, ptr %x79, i64 16
  %x118 = load ptr, ptr %x117
  %x119 = getelementptr i8, ptr %x2, i64 24
  store ptr %x118, ptr %x119
  %x120 = getelementptr i8, ptr %x2, i64 32
  store i64 %x116, ptr %x120
  %x121 = getelementptr i8, ptr %x2, i64 40
  store i64 8, ptr %x121
  %x122 = select i1 %x113, i64 %x75, i64 %x103
  %x123 = getelementptr i8, ptr %x79, i64 16
  %x124 = load ptr, ptr %x123
  %x125 = icmp ne i64 %x122, -1
  %x126 = select i1 %x125, i64 %x122, i64 1
  %x127 = sub i64 %x126, 1
  %x128 = icmp ult i64 %x127, 15563
  br i1 %x128, label %checked129, label %general1
checked129:
  %x130 = zext i1 %x125 to i64
  %x131 = getelementptr i8, ptr %x4, i64 0
  store i64 %x126, ptr %x131
  %x132 = getelementptr i8, ptr %x4, i64 8
  store i64 2, ptr %x132
  %x133 = getelementptr i8, ptr %x4, i64 16
  store i64 2, ptr %x133
  %x134 = select i1 %x125, i64 0, i64 8
  %x135 = add i64 %x130, 2
  %x136 = getelementptr i8, ptr %x4, i64 %x134
  %x137 = trunc i64 %x135 to i32
  %x138 = getelementptr i8, ptr %x5, i64 0
  store i64 %x126, ptr %x138
  %x139 = getelementptr i8, ptr %x5, i64 8
  store i64 1, ptr %x139
  %x140 = select i1 %x125, i64 0, i64 8
  %x141 = add i64 %x130, 1
  %x142 = getelementptr i8, ptr %x5, i64 %x140
  %x143 = trunc i64 %x141 to i32
  br label %fresh144
fresh144:
  %x146 = getelementptr i8, ptr @phalanx_table, i64 16
  %x147 = load ptr, ptr %x146
  %x148 = getelementptr i8, ptr @phalanx_table, i64 32
  %x149 = load ptr, ptr %x148
  %x150 = getelementptr i8, ptr @phalanx_table, i64 40
  %x151 = load ptr, ptr %x150
  call void %x149(ptr %x11)
  %x152 = call ptr %x147(ptr %x9, ptr %x11, i32 %x137, ptr %x136, ptr null, ptr null, i32 0, ptr null)
  %x155 = icmp eq ptr %x152, null
  br i1 %x155, label %failed154, label %good153
failed154:
  ret ptr null
good153:
  %x156 = getelementptr i8, ptr %x3, i64 0
  store ptr %x152, ptr %x156
  call void %x149(ptr %x11)
  %x157 = call ptr %x147(ptr %x9, ptr %x11, i32 %x143, ptr %x142, ptr null, ptr null, i32 0, ptr null)
  %x160 = icmp eq ptr %x157, null
  br i1 %x160, label %failed159, label %good158
failed159:
  %x161 = getelementptr i8, ptr %x3, i64 0
  %x162 = load ptr, ptr %x161
  call void %x151(ptr %x162)
  ret ptr null
good158:
  %x163 = getelementptr i8, ptr %x3, i64 8
  store ptr %x157, ptr %x163
  br label %run145
run145:
  %x164 = getelementptr i8, ptr %x3, i64 0
  %x165 = load ptr, ptr %x164
  %x166 = mul i64 %x130, 32
  %x167 = getelementptr i8, ptr %x165, i64 16
  %x168 = load ptr, ptr %x167
  %x169 = getelementptr i8, ptr %x2, i64 48
  store ptr %x168, ptr %x169
  %x170 = getelementptr i8, ptr %x2, i64 56
  store i64 %x166, ptr %x170
  %x171 = getelementptr i8, ptr %x2, i64 64
  store i64 8, ptr %x171
  %x172 = getelementptr i8, ptr %x3, i64 8
  %x173 = load ptr, ptr %x172
  %x174 = mul i64 %x130, 8
  %x175 = getelementptr i8, ptr %x173, i64 16
  %x176 = load ptr, ptr %x175
  %x177 = getelementptr i8, ptr %x2, i64 72
  store ptr %x176, ptr %x177
  %x178 = getelementptr i8, ptr %x2, i64 80
  store i64 %x174, ptr %x178
  %x179 = getelementptr i8, ptr %x2, i64 88
  store i64 8, ptr %x179
  %x180 = call i32 @run(ptr %x2, i64 0, i64 %x126, ptr null)
  %x183 = icmp eq i32 %x180, 0
  br i1 %x183, label %finished181, label %no_memory182
no_memory182:
  %x184 = getelementptr i8, ptr @phalanx_table, i64 40
  %x185 = load ptr, ptr %x184
  %x186 = getelementptr i8, ptr %x3, i64 0
  %x187 = load ptr, ptr %x186
  call void %x185(ptr %x187)
  %x188 = getelementptr i8, ptr %x3, i64 8
  %x189 = load ptr, ptr %x188
  call void %x185(ptr %x189)
  %x190 = getelementptr i8, ptr @phalanx_table, i64 64
  %x191 = load ptr, ptr %x190
  %x192 = call ptr %x191()
  ret ptr %x192
finished181:
  %x193 = getelementptr i8, ptr @phalanx_table, i64 24
  %x194 = load ptr, ptr %x193
  %x195 = getelementptr i8, ptr @phalanx_table, i64 48
  %x196 = load ptr, ptr %x195
  %x197 = call ptr %x194(ptr %x196, ptr %x3, i64 2, ptr null)
  %x198 = getelementptr i8, ptr @phalanx_table, i64 40
  %x199 = load ptr, ptr %x198
  %x200 = getelementptr i8, ptr %x3, i64 0
  %x201 = load ptr, ptr %x200
  call void %x199(ptr %x201)
  %x202 = getelementptr i8, ptr %x3, i64 8
  %x203 = load ptr, ptr %x202
  call void %x199(ptr %x203)
  ret ptr %x197
general1:
  %x204 = getelementptr i8, ptr @phalanx_table, i64 24
  %x205 = load ptr, ptr %x204
  %x206 = call ptr %x205(ptr %self, ptr %arguments, i64 %count, ptr %names)
  ret ptr %x206
}
