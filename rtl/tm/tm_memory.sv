// The cells, and who fills and empties them: `tm_store` writes what was let in into cells of the free list and chains them,
// `tm_reader` reads packets that leave and gives their cells back, and those of packets that were dropped; `tm_output`
// is where a port waits.
module tm_memory #(
  parameter int unsigned Ports = 4,
  parameter int unsigned DataW = 512,
  parameter int unsigned CellBeatsLog2 = 2,
  parameter int unsigned Memory = 512,
  parameter int unsigned BytesW = 11,
  parameter int unsigned CellsW = 3,
  /// Bits of what goes in with a packet, and of what goes out with it.
  parameter int unsigned HeaderW = 8,
  parameter int unsigned UserW = 3,
  /// Beats that wait at an output: a power of two.
  parameter int unsigned OutBeats = 64,
  localparam int unsigned Lanes = DataW / 8,
  localparam int unsigned LaneW = $clog2(Lanes),
  localparam int unsigned PortW = parameter_pkg::index_width(Ports),
  localparam int unsigned CellW = parameter_pkg::index_width(Memory),
  localparam int unsigned AddressW = CellW + CellBeatsLog2
) (
  input  logic               clk_i,
  input  logic               rst_i,
  // The first packet that has a verdict, as `tm_store` has it.
  input  logic               head_i,
  input  logic               head_admitted_i,
  input  logic [HeaderW-1:0] head_header_i,
  input  logic [ BytesW-1:0] head_bytes_i,
  input  logic [ CellsW-1:0] head_cells_i,
  output logic               read_o,
  output logic               last_o,
  output logic               skip_o,
  input  logic [  DataW-1:0] data_i,
  // A packet is complete, until it has been linked.
  output logic               done_o,
  output logic [HeaderW-1:0] done_header_o,
  output logic [  CellW-1:0] done_first_o,
  output logic [ BytesW-1:0] done_bytes_o,
  output logic [ CellsW-1:0] done_cells_o,
  input  logic               linked_i,
  // A packet leaves, as `tm_reader` has it.
  input  logic               leave_i,
  input  logic [  PortW-1:0] leave_port_i,
  input  logic [  CellW-1:0] leave_first_i,
  input  logic [ BytesW-1:0] leave_bytes_i,
  input  logic [  UserW-1:0] leave_user_i,
  output logic               begun_o,
  output logic [  PortW-1:0] begun_port_o,
  // A packet was dropped.
  input  logic               drop_i,
  input  logic [  CellW-1:0] drop_first_i,
  input  logic [ CellsW-1:0] drop_cells_i,
  output logic               drops_o,
  // The outputs.
  output logic             [  Ports-1:0] m_tvalid_o,
  input  logic             [  Ports-1:0] m_tready_i,
  output logic [Ports-1:0] [  DataW-1:0] m_tdata_o,
  output logic [Ports-1:0] [  Lanes-1:0] m_tkeep_o,
  output logic             [  Ports-1:0] m_tlast_o,
  output logic [Ports-1:0] [  UserW-1:0] m_tuser_o,
  /// A cell is taken from the free list, or given back.
  output logic               cell_take_o,
  output logic               cell_give_o
);
  logic cell_empty, write, chain, read, follow;
  logic [CellW-1:0] cell_number, cell_given, chain_from, chain_to, follow_from, follow_to;
  logic [AddressW-1:0] write_address, read_address;
  logic [DataW-1:0] write_data, read_data;
  logic beat, beat_last;
  logic [PortW-1:0] beat_port;
  logic [LaneW-1:0] beat_lanes;
  logic [UserW-1:0] beat_user;

  free_list #(
    .Entries(Memory)
  ) u_free (
    .clk_i,
    .rst_i,
    .take_i  (cell_take_o),
    .number_o(cell_number),
    .empty_o (cell_empty),
    .give_i  (cell_give_o),
    .number_i(cell_given)
  );

  ram_1r1w #(
    .Width(DataW),
    .Depth(Memory << CellBeatsLog2)
  ) u_data (
    .clk_i,
    .we_i   (write),
    .waddr_i(write_address),
    .wdata_i(write_data),
    .re_i   (read),
    .raddr_i(read_address),
    .rdata_o(read_data)
  );

  ram_1r1w #(
    .Width(CellW),
    .Depth(Memory)
  ) u_chain (
    .clk_i,
    .we_i   (chain),
    .waddr_i(chain_from),
    .wdata_i(chain_to),
    .re_i   (follow),
    .raddr_i(follow_from),
    .rdata_o(follow_to)
  );

  tm_store #(
    .BytesW       (BytesW),
    .CellsW       (CellsW),
    .HeaderW      (HeaderW),
    .DataW        (DataW),
    .CellBeatsLog2(CellBeatsLog2),
    .Memory       (Memory)
  ) u_store (
    .clk_i,
    .rst_i,
    .head_i,
    .head_admitted_i,
    .head_header_i,
    .head_bytes_i,
    .head_cells_i,
    .read_o,
    .last_o,
    .skip_o,
    .data_i,
    .take_o         (cell_take_o),
    .number_i       (cell_number),
    .empty_i        (cell_empty),
    .write_o        (write),
    .write_address_o(write_address),
    .write_data_o   (write_data),
    .chain_o        (chain),
    .chain_from_o   (chain_from),
    .chain_to_o     (chain_to),
    .done_o,
    .done_header_o,
    .done_first_o,
    .done_bytes_o,
    .done_cells_o,
    .linked_i
  );

  tm_reader #(
    .Ports        (Ports),
    .CellBeatsLog2(CellBeatsLog2),
    .Memory       (Memory),
    .LaneW        (LaneW),
    .BytesW       (BytesW),
    .CellsW       (CellsW),
    .KeepW        (UserW)
  ) u_reader (
    .clk_i,
    .rst_i,
    .leave_i,
    .leave_port_i,
    .leave_first_i,
    .leave_bytes_i,
    .leave_keep_i  (leave_user_i),
    .begun_o,
    .begun_port_o,
    .drop_i,
    .drop_first_i,
    .drop_cells_i,
    .drops_o,
    .read_o        (read),
    .read_address_o(read_address),
    .follow_o      (follow),
    .follow_from_o (follow_from),
    .follow_to_i   (follow_to),
    .give_o        (cell_give_o),
    .give_number_o (cell_given),
    .beat_o        (beat),
    .beat_port_o   (beat_port),
    .beat_last_o   (beat_last),
    .beat_lanes_o  (beat_lanes),
    .beat_keep_o   (beat_user)
  );

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    tm_output #(
      .DataW (DataW),
      .Places(OutBeats),
      .UserW (UserW)
    ) u_output (
      .clk_i,
      .rst_i,
      .beat_i    (beat && beat_port == PortW'(p)),
      .data_i    (read_data),
      .lanes_i   (beat_lanes),
      .last_i    (beat_last),
      .user_i    (beat_user),
      .m_tvalid_o(m_tvalid_o[p]),
      .m_tready_i(m_tready_i[p]),
      .m_tdata_o (m_tdata_o[p]),
      .m_tkeep_o (m_tkeep_o[p]),
      .m_tlast_o (m_tlast_o[p]),
      .m_tuser_o (m_tuser_o[p])
    );
  end
endmodule
