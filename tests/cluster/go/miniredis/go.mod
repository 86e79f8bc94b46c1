module platform-def.test/miniredis

go 1.26.0

require github.com/alicebob/miniredis/v2 v2.35.0

require github.com/yuin/gopher-lua v1.1.1 // indirect
