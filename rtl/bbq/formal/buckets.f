parameter_pkg.sv
ram_1r1w.sv
ram_async.sv
bbq_pkg.sv
bbq_buckets.sv
buckets_formal.sv
