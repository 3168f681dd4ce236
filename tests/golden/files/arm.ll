declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)

declare <4 x double> @llvm.fabs.v4f64(<4 x double>)

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
  %x9 = getelementptr i8, ptr %x7, i64 256
  %x10 = getelementptr i8, ptr %x7, i64 320
  br label %before11
before11:
  br label %head12
head12:
  %i.head12 = phi i64 [ 0, %before11 ], [ %n.head12, %latch14 ]
  %x16 = icmp slt i64 %i.head12, 64
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
  %x8 = getelementptr i8, ptr %x7, i64 128
  %x9 = load <4 x double>, ptr %x8, align 32
  %x10 = fadd <4 x double> %x9, %x9
  %x11 = getelementptr i8, ptr %x7, i64 256
  %x12 = load <4 x double>, ptr %x11, align 32
  %x13 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x12, <4 x double> <double 0x40339EB851EB851F, double 0x40339EB851EB851F, double 0x40339EB851EB851F, double 0x40339EB851EB851F>, <4 x double> %x10)
  %x14 = getelementptr i8, ptr %x7, i64 160
  %x15 = load <4 x double>, ptr %x14, align 32
  %x16 = fadd <4 x double> %x9, %x15
  %x17 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x12, <4 x double> <double 0x40239EB851EB851F, double 0x40239EB851EB851F, double 0x40239EB851EB851F, double 0x40239EB851EB851F>, <4 x double> %x9)
  %x18 = getelementptr i8, ptr %x7, i64 64
  %x19 = load <4 x double>, ptr %x18, align 32
  %x20 = fmul <4 x double> %x19, %x19
  %x21 = getelementptr i8, ptr %x7, i64 320
  %x22 = load <4 x double>, ptr %x21, align 32
  %x23 = call <4 x double> @llvm.fma.v4f64(<4 x double> <double 0x40239EB851EB851F, double 0x40239EB851EB851F, double 0x40239EB851EB851F, double 0x40239EB851EB851F>, <4 x double> %x22, <4 x double> %x20)
  %x24 = getelementptr i8, ptr %x7, i64 288
  %x25 = load <4 x double>, ptr %x24, align 32
  %x26 = fmul <4 x double> %x25, %x23
  %x27 = getelementptr i8, ptr %x7, i64 352
  %x28 = load <4 x double>, ptr %x27, align 32
  %x29 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x28, <4 x double> %x17, <4 x double> %x26)
  %x30 = fadd <4 x double> %x16, %x29
  %x31 = getelementptr i8, ptr %x7, i64 224
  store <4 x double> %x30, ptr %x31, align 32
  %x32 = getelementptr i8, ptr %x7, i64 96
  %x33 = load <4 x double>, ptr %x32, align 32
  %x34 = fadd <4 x double> %x19, %x33
  %x35 = fmul <4 x double> %x34, %x34
  %x36 = fmul <4 x double> %x16, %x28
  %x37 = fneg <4 x double> %x36
  %x38 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x25, <4 x double> %x35, <4 x double> %x37)
  %x39 = fsub <4 x double> %x30, %x38
  %x40 = fadd <4 x double> %x13, %x39
  %x41 = getelementptr i8, ptr %x7, i64 192
  store <4 x double> %x40, ptr %x41, align 32
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
  %x37 = mul i64 %x36, 384
  %x38 = mul i64 %i.head27, %x5
  %x39 = getelementptr i8, ptr %x3, i64 %x38
  %x40 = getelementptr i8, ptr %x1, i64 0
  %x41 = mul i64 %i.head27, %x11
  %x42 = getelementptr i8, ptr %x9, i64 %x41
  %x43 = getelementptr i8, ptr %x1, i64 64
  %x44 = mul i64 %i.head27, %x17
  %x45 = getelementptr i8, ptr %x15, i64 %x44
  %x46 = getelementptr i8, ptr %x1, i64 128
  %x47 = mul i64 %i.head27, %x23
  %x48 = getelementptr i8, ptr %x21, i64 %x47
  %x49 = getelementptr i8, ptr %x1, i64 192
  call void @pack(ptr %x39, i64 %x5, i64 %x7, i64 2, i64 %x34, ptr %x40)
  call void @pack(ptr %x42, i64 %x11, i64 %x13, i64 2, i64 %x34, ptr %x43)
  call void @pack(ptr %x45, i64 %x17, i64 %x19, i64 2, i64 %x34, ptr %x46)
  call void @angles(ptr %x1, i64 %x37)
  call void @piece0(ptr %x1, i64 %x37)
  call void @unpack(ptr %x48, i64 %x23, i64 %x25, i64 2, i64 %x34, ptr %x49)
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
  %x3 = alloca [1 x ptr], align 8
  %x4 = alloca [2 x i64], align 8
  %x5 = icmp eq i64 %count, 3
  br i1 %x5, label %checked6, label %general1
checked6:
  %x7 = getelementptr i8, ptr @phalanx_table, i64 0
  %x8 = load ptr, ptr %x7
  %x9 = getelementptr i8, ptr @phalanx_table, i64 8
  %x10 = load ptr, ptr %x9
  %x14 = icmp eq ptr %names, null
  br i1 %x14, label %plain11, label %named12
named12:
  %x15 = getelementptr i8, ptr %names, i64 16
  %x16 = load i64, ptr %x15
  %x17 = icmp eq i64 %x16, 1
  br i1 %x17, label %checked18, label %general1
checked18:
  %x19 = getelementptr i8, ptr %names, i64 24
  %x20 = load ptr, ptr %x19
  %x21 = getelementptr i8, ptr @phalanx_table, i64 56
  %x22 = load ptr, ptr %x21
  %x23 = icmp eq ptr %x20, %x22
  br i1 %x23, label %checked24, label %general1
checked24:
  br i1 true, label %checked25, label %general1
checked25:
  %x26 = getelementptr i8, ptr %arguments, i64 24
  %x27 = load ptr, ptr %x26
  br label %last28
last28:
  br label %known13
plain11:
  br label %known13
known13:
  %x29 = phi ptr [ null, %plain11 ], [ %x27, %last28 ]
  %x30 = getelementptr i8, ptr %arguments, i64 0
  %x31 = load ptr, ptr %x30
  %x32 = getelementptr i8, ptr %x31, i64 8
  %x33 = load ptr, ptr %x32
  %x34 = icmp eq ptr %x33, %x8
  br i1 %x34, label %checked35, label %general1
checked35:
  %x36 = getelementptr i8, ptr %x31, i64 56
  %x37 = load ptr, ptr %x36
  %x38 = icmp eq ptr %x37, %x10
  br i1 %x38, label %checked39, label %general1
checked39:
  %x40 = getelementptr i8, ptr %x31, i64 64
  %x41 = load i32, ptr %x40
  %x42 = and i32 %x41, 257
  %x43 = icmp eq i32 %x42, 257
  br i1 %x43, label %checked44, label %general1
checked44:
  %x45 = getelementptr i8, ptr %x31, i64 24
  %x46 = load i32, ptr %x45
  %x47 = zext i32 %x46 to i64
  %x48 = sub i64 %x47, 1
  %x49 = icmp ult i64 %x48, 2
  br i1 %x49, label %checked50, label %general1
checked50:
  %x51 = getelementptr i8, ptr %x31, i64 32
  %x52 = load ptr, ptr %x51
  %x53 = icmp eq i64 %x48, 1
  %x54 = select i1 %x53, ptr %x52, ptr @no_batch
  %x55 = load i64, ptr %x54
  %x56 = mul i64 %x48, 8
  %x57 = getelementptr i8, ptr %x52, i64 %x56
  %x58 = getelementptr i8, ptr %x57, i64 0
  %x59 = load i64, ptr %x58
  %x60 = icmp eq i64 %x59, 2
  br i1 %x60, label %checked61, label %general1
checked61:
  %x62 = icmp eq i64 -1, -1
  %x63 = icmp eq i64 %x55, -1
  %x64 = or i1 %x62, %x63
  %x65 = icmp eq i64 %x55, -1
  %x66 = or i1 %x64, %x65
  br i1 %x66, label %checked67, label %general1
checked67:
  %x68 = mul i64 %x48, 16
  %x69 = getelementptr i8, ptr %x31, i64 16
  %x70 = load ptr, ptr %x69
  %x71 = getelementptr i8, ptr %x2, i64 0
  store ptr %x70, ptr %x71
  %x72 = getelementptr i8, ptr %x2, i64 8
  store i64 %x68, ptr %x72
  %x73 = getelementptr i8, ptr %x2, i64 16
  store i64 8, ptr %x73
  %x74 = select i1 %x65, i64 -1, i64 %x55
  %x75 = getelementptr i8, ptr %x31, i64 16
  %x76 = load ptr, ptr %x75
  %x77 = getelementptr i8, ptr %arguments, i64 8
  %x78 = load ptr, ptr %x77
  %x79 = getelementptr i8, ptr %x78, i64 8
  %x80 = load ptr, ptr %x79
  %x81 = icmp eq ptr %x80, %x8
  br i1 %x81, label %checked82, label %general1
checked82:
  %x83 = getelementptr i8, ptr %x78, i64 56
  %x84 = load ptr, ptr %x83
  %x85 = icmp eq ptr %x84, %x10
  br i1 %x85, label %checked86, label %general1
checked86:
  %x87 = getelementptr i8, ptr %x78, i64 64
  %x88 = load i32, ptr %x87
  %x89 = and i32 %x88, 257
  %x90 = icmp eq i32 %x89, 257
  br i1 %x90, label %checked91, label %general1
checked91:
  %x92 = getelementptr i8, ptr %x78, i64 24
  %x93 = load i32, ptr %x92
  %x94 = zext i32 %x93 to i64
  %x95 = sub i64 %x94, 1
  %x96 = icmp ult i64 %x95, 2
  br i1 %x96, label %checked97, label %general1
checked97:
  %x98 = getelementptr i8, ptr %x78, i64 32
  %x99 = load ptr, ptr %x98
  %x100 = icmp eq i64 %x95, 1
  %x101 = select i1 %x100, ptr %x99, ptr @no_batch
  %x102 = load i64, ptr %x101
  %x103 = mul i64 %x95, 8
  %x104 = getelementptr i8, ptr %x99, i64 %x103
  %x105 = getelementptr i8, ptr %x104, i64 0
  %x106 = load i64, ptr %x105
  %x107 = icmp eq i64 %x106, 2
  br i1 %x107, label %checked108, label %general1
checked108:
  %x109 = icmp eq i64 %x74, -1
  %x110 = icmp eq i64 %x102, %x74
  %x111 = or i1 %x109, %x110
  %x112 = icmp eq i64 %x102, -1
  %x113 = or i1 %x111, %x112
  br i1 %x113, label %checked114, label %general1
checked114:
  %x115 = mul i64 %x95, 16
  %x116 = getelementptr i8, ptr %x78, i64 16
  %x117 = load ptr, ptr %x116
  %x118 = getelementptr i8, ptr %x2, i64 24
  store ptr %x117, ptr %x118
  %x119 = getelementptr i8, ptr %x2, i64 32
  store i64 %x115, ptr %x119
  %x120 = getelementptr i8, ptr %x2, i64 40
  store i64 8, ptr %x120
  %x121 = select i1 %x112, i64 %x74, i64 %x102
  %x122 = getelementptr i8, ptr %x78, i64 16
  %x123 = load ptr, ptr %x122
  %x124 = getelementptr i8, ptr %arguments, i64 16
  %x125 = load ptr, ptr %x124
  %x126 = getelementptr i8, ptr %x125, i64 8
  %x127 = load ptr, ptr %x126
  %x128 = icmp eq ptr %x127, %x8
  br i1 %x128, label %checked129, label %general1
checked129:
  %x130 = getelementptr i8, ptr %x125, i64 56
  %x131 = load ptr, ptr %x130
  %x132 = icmp eq ptr %x131, %x10
  br i1 %x132, label %checked133, label %general1
checked133:
  %x134 = getelementptr i8, ptr %x125, i64 64
  %x135 = load i32, ptr %x134
  %x136 = and i32 %x135, 257
  %x137 = icmp eq i32 %x136, 257
  br i1 %x137, label %checked138, label %general1
checked138:
  %x139 = getelementptr i8, ptr %x125, i64 24
  %x140 = load i32, ptr %x139
  %x141 = zext i32 %x140 to i64
  %x142 = sub i64 %x141, 1
  %x143 = icmp ult i64 %x142, 2
  br i1 %x143, label %checked144, label %general1
checked144:
  %x145 = getelementptr i8, ptr %x125, i64 32
  %x146 = load ptr, ptr %x145
  %x147 = icmp eq i64 %x142, 1
  %x148 = select i1 %x147, ptr %x146, ptr @no_batch
  %x149 = load i64, ptr %x148
  %x150 = mul i64 %x142, 8
  %x151 = getelementptr i8, ptr %x146, i64 %x150
  %x152 = getelementptr i8, ptr %x151, i64 0
  %x153 = load i64, ptr %x152
  %x154 = icmp eq i64 %x153, 2
  br i1 %x154, label %checked155, label %general1
checked155:
  %x156 = icmp eq i64 %x121, -1
  %x157 = icmp eq i64 %x149, %x121
  %x158 = or i1 %x156, %x157
  %x159 = icmp eq i64 %x149, -1
  %x160 = or i1 %x158, %x159
  br i1 %x160, label %checked161, label %general1
checked161:
  %x162 = mul i64 %x142, 16
  %x163 = getelementptr i8, ptr %x125, i64 16
  %x164 = load ptr, ptr %x163
  %x165 = getelementptr i8, ptr %x2, i64 48
  store ptr %x164, ptr %x165
  %x166 = getelementptr i8, ptr %x2, i64 56
  store i64 %x162, ptr %x166
  %x167 = getelementptr i8, ptr %x2, i64 64
  store i64 8, ptr %x167
  %x168 = select i1 %x159, i64 %x121, i64 %x149
  %x169 = getelementptr i8, ptr %x125, i64 16
  %x170 = load ptr, ptr %x169
  %x171 = icmp ne i64 %x168, -1
  %x172 = select i1 %x171, i64 %x168, i64 1
  %x173 = sub i64 %x172, 1
  %x174 = icmp ult i64 %x173, 63491
  br i1 %x174, label %checked175, label %general1
checked175:
  %x176 = zext i1 %x171 to i64
  %x177 = getelementptr i8, ptr %x4, i64 0
  store i64 %x172, ptr %x177
  %x178 = getelementptr i8, ptr %x4, i64 8
  store i64 2, ptr %x178
  %x179 = select i1 %x171, i64 0, i64 8
  %x180 = add i64 %x176, 1
  %x181 = getelementptr i8, ptr %x4, i64 %x179
  %x182 = trunc i64 %x180 to i32
  %x186 = icmp eq ptr %x29, null
  br i1 %x186, label %fresh183, label %given185
given185:
  %x187 = getelementptr i8, ptr %x29, i64 8
  %x188 = load ptr, ptr %x187
  %x189 = icmp eq ptr %x188, %x8
  br i1 %x189, label %checked190, label %general1
checked190:
  %x191 = getelementptr i8, ptr %x29, i64 56
  %x192 = load ptr, ptr %x191
  %x193 = icmp eq ptr %x192, %x10
  br i1 %x193, label %checked194, label %general1
checked194:
  %x195 = getelementptr i8, ptr %x29, i64 64
  %x196 = load i32, ptr %x195
  %x197 = and i32 %x196, 1281
  %x198 = icmp eq i32 %x197, 1281
  br i1 %x198, label %checked199, label %general1
checked199:
  %x200 = getelementptr i8, ptr %x29, i64 24
  %x201 = load i32, ptr %x200
  %x202 = icmp eq i32 %x201, %x182
  br i1 %x202, label %checked203, label %general1
checked203:
  %x204 = getelementptr i8, ptr %x29, i64 32
  %x205 = load ptr, ptr %x204
  %x206 = icmp slt i32 0, %x182
  %x207 = select i1 %x206, i64 0, i64 0
  %x208 = icmp ne i32 %x182, 0
  %x209 = select i1 %x208, ptr %x205, ptr %x181
  %x210 = getelementptr i8, ptr %x209, i64 %x207
  %x211 = load i64, ptr %x210
  %x212 = getelementptr i8, ptr %x181, i64 %x207
  %x213 = load i64, ptr %x212
  %x214 = icmp eq i64 %x211, %x213
  br i1 %x214, label %checked215, label %general1
checked215:
  %x216 = icmp slt i32 1, %x182
  %x217 = select i1 %x216, i64 8, i64 0
  %x218 = icmp ne i32 %x182, 0
  %x219 = select i1 %x218, ptr %x205, ptr %x181
  %x220 = getelementptr i8, ptr %x219, i64 %x217
  %x221 = load i64, ptr %x220
  %x222 = getelementptr i8, ptr %x181, i64 %x217
  %x223 = load i64, ptr %x222
  %x224 = icmp eq i64 %x221, %x223
  br i1 %x224, label %checked225, label %general1
checked225:
  %x226 = getelementptr i8, ptr %x29, i64 16
  %x227 = load ptr, ptr %x226
  %x228 = mul i64 %x172, 16
  %x229 = getelementptr i8, ptr %x227, i64 %x228
  %x230 = mul i64 %x172, 16
  %x231 = getelementptr i8, ptr %x76, i64 %x230
  %x232 = icmp ule ptr %x231, %x227
  %x233 = icmp uge ptr %x76, %x229
  %x234 = or i1 %x232, %x233
  br i1 %x234, label %checked235, label %general1
checked235:
  %x236 = mul i64 %x172, 16
  %x237 = getelementptr i8, ptr %x123, i64 %x236
  %x238 = icmp ule ptr %x237, %x227
  %x239 = icmp uge ptr %x123, %x229
  %x240 = or i1 %x238, %x239
  br i1 %x240, label %checked241, label %general1
checked241:
  %x242 = mul i64 %x172, 16
  %x243 = getelementptr i8, ptr %x170, i64 %x242
  %x244 = icmp ule ptr %x243, %x227
  %x245 = icmp uge ptr %x170, %x229
  %x246 = or i1 %x244, %x245
  br i1 %x246, label %checked247, label %general1
checked247:
  %x248 = getelementptr i8, ptr @phalanx_table, i64 32
  %x249 = load ptr, ptr %x248
  call void %x249(ptr %x29)
  store ptr %x29, ptr %x3
  br label %run184
fresh183:
  %x250 = getelementptr i8, ptr @phalanx_table, i64 16
  %x251 = load ptr, ptr %x250
  %x252 = getelementptr i8, ptr @phalanx_table, i64 32
  %x253 = load ptr, ptr %x252
  %x254 = getelementptr i8, ptr @phalanx_table, i64 40
  %x255 = load ptr, ptr %x254
  call void %x253(ptr %x10)
  %x256 = call ptr %x251(ptr %x8, ptr %x10, i32 %x182, ptr %x181, ptr null, ptr null, i32 0, ptr null)
  %x259 = icmp eq ptr %x256, null
  br i1 %x259, label %failed258, label %good257
failed258:
  ret ptr null
good257:
  %x260 = getelementptr i8, ptr %x3, i64 0
  store ptr %x256, ptr %x260
  br label %run184
run184:
  %x261 = getelementptr i8, ptr %x3, i64 0
  %x262 = load ptr, ptr %x261
  %x263 = mul i64 %x176, 16
  %x264 = getelementptr i8, ptr %x262, i64 16
  %x265 = load ptr, ptr %x264
  %x266 = getelementptr i8, ptr %x2, i64 72
  store ptr %x265, ptr %x266
  %x267 = getelementptr i8, ptr %x2, i64 80
  store i64 %x263, ptr %x267
  %x268 = getelementptr i8, ptr %x2, i64 88
  store i64 8, ptr %x268
  %x269 = call i32 @run(ptr %x2, i64 0, i64 %x172, ptr null)
  %x272 = icmp eq i32 %x269, 0
  br i1 %x272, label %finished270, label %no_memory271
no_memory271:
  %x273 = getelementptr i8, ptr @phalanx_table, i64 40
  %x274 = load ptr, ptr %x273
  %x275 = getelementptr i8, ptr %x3, i64 0
  %x276 = load ptr, ptr %x275
  call void %x274(ptr %x276)
  %x277 = getelementptr i8, ptr @phalanx_table, i64 64
  %x278 = load ptr, ptr %x277
  %x279 = call ptr %x278()
  ret ptr %x279
finished270:
  %x280 = load ptr, ptr %x3
  ret ptr %x280
general1:
  %x281 = getelementptr i8, ptr @phalanx_table, i64 24
  %x282 = load ptr, ptr %x281
  %x283 = call ptr %x282(ptr %self, ptr %arguments, i64 %count, ptr %names)
  ret ptr %x283
}
