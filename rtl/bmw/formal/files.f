parameter_pkg.sv
ram_1r1w.sv
bmw_pkg.sv
bmw_node.sv
bmw_level.sv
bmw.sv
bmw_formal.sv
