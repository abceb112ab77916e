parameter_pkg.sv
bbq_pkg.sv
surge_pkg.sv
surge_normalize.sv
surge_rank.sv
rank_formal.sv
