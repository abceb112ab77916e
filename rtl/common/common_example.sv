// The free list as an allocator of buffers: a number is taken, and given back when it is free again.
module common_example (
  input  logic        clk_i,
  input  logic        rst_i,
  output logic        valid_o,
  input  logic        ready_i,
  output logic [10:0] number_o,
  input  logic        give_i,
  input  logic [10:0] number_i
);
  logic empty;
  assign valid_o = !empty;

  free_list #(
    .Entries(2047)
  ) u_free (
    .clk_i,
    .rst_i,
    .take_i (valid_o && ready_i),
    .number_o,
    .empty_o(empty),
    .give_i,
    .number_i
  );
endmodule
