parameter_pkg.sv
ram_1r1w.sv
ram_async.sv
find_first.sv
themis_pkg.sv
themis_level.sv
themis_level_formal.sv
