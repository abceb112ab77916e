parameter_pkg.sv
ram_1r1w.sv
ram_async.sv
find_first.sv
bbq_pkg.sv
bbq_level.sv
level_formal.sv
