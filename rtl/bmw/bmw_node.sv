// One node of BMW-Tree: which place an operation is about, and how the element compares with it. No state.
//
// The smallest element, or the place under which the fewest elements are; the leftmost if equal, as in the Rust
// model. Every place is compared with every other and the element with all of them at once, so the path is one
// comparison, a few gates and a selection; the number of comparators grows with the square of `Ways`.

module bmw_node #(
  /// Places of a node.
  parameter int unsigned Ways = 4,
  parameter int unsigned RankW = 16,
  /// Bits of the count of what is below a place.
  parameter int unsigned BelowW = 8
) (
  input  logic [Ways-1:0]             some_i,
  input  logic [Ways-1:0][BelowW-1:0] below_i,
  input  logic [Ways-1:0][RankW-1:0]  rank_i,
  /// The rank that an operation brings.
  input  logic [RankW-1:0]            new_rank_i,
  /// The smallest is wanted and not the lightest.
  input  logic                        take_i,
  /// The place, one-hot.
  output logic [Ways-1:0]             place_o,
  /// What is brought is smaller than the element there.
  output logic                        less_o
);

  logic [Ways-1:0] least, lightest, precedes;

  // A vacant place is larger than all elements. A place with an element below has one itself, so the count
  // and the mark together order places by the elements in them and below them.
  for (genvar i = 0; i < Ways; i++) begin : gen_place
    logic [Ways-1:0] smaller, lighter;
    for (genvar j = 0; j < Ways; j++) begin : gen_other
      if (j < i) begin : gen_left
        assign smaller[j] = {!some_i[i], rank_i[i]} < {!some_i[j], rank_i[j]};
        assign lighter[j] = {below_i[i], some_i[i]} < {below_i[j], some_i[j]};
      end else if (j > i) begin : gen_right
        assign smaller[j] = {!some_i[i], rank_i[i]} <= {!some_i[j], rank_i[j]};
        assign lighter[j] = {below_i[i], some_i[i]} <= {below_i[j], some_i[j]};
      end else begin : gen_itself
        assign smaller[j] = 1'b1;
        assign lighter[j] = 1'b1;
      end
    end
    assign least[i]    = &smaller;
    assign lightest[i] = &lighter;
    assign precedes[i]   = new_rank_i < rank_i[i];
  end

  assign place_o = take_i ? least : lightest;
  assign less_o  = |(place_o & precedes);

endmodule
