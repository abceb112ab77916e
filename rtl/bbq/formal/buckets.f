ram_1r1w.sv
ram_async.sv
ram_exchange.sv
bbq_pkg.sv
bbq_buckets.sv
buckets_formal.sv
