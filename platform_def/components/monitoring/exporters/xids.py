"""Numbers of NVIDIA's XID errors whose cause is the hardware or the driver; the others are mostly the program's.

From NVIDIA's catalogue of XIDs: memory (48, 63, 64, 92, 94, 95, 140, 158), NVLink and its switches (74, 149, 155),
the bus (79), the card's own processors and its firmware (46, 62, 109, 119, 120, 136, 143, 154), C2C (121).
"""

FATAL_XIDS = "46|48|62|63|64|74|79|92|94|95|109|119|120|121|136|140|143|149|154|155|158"
