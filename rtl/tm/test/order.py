"""What orders the ports: the Rust types behind the schedulers of `tm_scheduler`, and what `tm_ports` does with them."""

from collections import Counter, deque

from flow.bench import value
from forebay import GearboxCore, WsjfCore
from forebay.queues import PartitionedBuckets, PartitionedClubHeap

BBQ, CLUBHEAP, WSJF, GEARBOX = range(4)


class Ranked:
    """By the ranks of the packets: a BBQ of all ports."""

    def __init__(self, shape):
        self.queue = self._queue(shape, 1 << shape.port_w, shape.ports * shape.classes)

    def _queue(self, shape, partitions, capacity):
        return PartitionedBuckets(partitions, partitions << shape.key_w, capacity)

    def key(self, packet):
        """What is kept with the packet."""
        return packet.field

    def bits(self, key):
        """The same as the core has it."""
        return key

    def push(self, port, class_, key):
        self.queue.push(port, key, class_)

    def pop(self, port):
        _, class_ = self.queue.pop(port)
        return class_


class Heaped(Ranked):
    """By the ranks of the packets: a ClubHeap."""

    def _queue(self, shape, partitions, capacity):
        return PartitionedClubHeap(2, capacity, partitions)


class Jobs(Ranked):
    """By job size per packet size: WSJF."""

    def __init__(self, shape):
        super().__init__(shape)
        self.ranks = WsjfCore(capacity=1, bits=shape.rank_bits, fraction=shape.fraction)

    def key(self, packet):
        return self.ranks.rank(packet.field, len(packet.data))


class Fair:
    """By weighted fair queueing: a Gearbox for each port, whose flows are its queues."""

    def __init__(self, shape):
        self.shape = shape
        fifos_log2 = shape.width.bit_length() - 1
        self.time_w = shape.levels * fifos_log2
        self.boxes = [GearboxCore(levels=shape.levels, fifos_log2=fifos_log2, places_log2=shape.class_w,
                                  flows_log2=shape.class_w) for _ in range(shape.ports)]

    def key(self, packet):
        size = len(packet.data)
        return size, min(-(-size * packet.field // (1 << self.shape.fraction)), 1 << self.time_w - 1)

    def bits(self, key):
        size, time = key
        return size << self.time_w | time

    def push(self, port, class_, key):
        size, time = key
        lost, _ = self.boxes[port].enqueue(0, size, time, class_)
        assert lost is None, lost

    def pop(self, port):
        (_, _, class_), _ = self.boxes[port].dequeue()
        return class_


MODELS = {BBQ: Ranked, CLUBHEAP: Heaped, WSJF: Jobs, GEARBOX: Fair}


class Order:
    """The scheduler of the queues' heads: what `tm_ports` has to do, and with which key."""

    def __init__(self, dut, shape):
        self.dut, self.dut_takes, self.dut_take_queue = dut.u_ports, dut.takes, dut.take_queue
        self.shape = shape
        self.model = MODELS[shape.scheduler](shape)
        self.keys = [deque() for _ in range(shape.ports * shape.classes)]
        self.listed = set()
        self.again = {}  # of each port, a queue that waits to be pushed again, and its key
        self.asked = deque()
        self.due = [deque() for _ in range(shape.ports)]
        self.met = Counter()

    def step(self, let_in, left, cycle):
        """One cycle, in which `left` may leave: its queue, and whether it is sent. The packet that is linked, if one is."""
        dut, linked, classes = self.dut, None, self.shape.classes
        if dut.popped.value == 1:
            queue = self.asked.popleft()
            assert value(dut.ask_queue_o) == queue, cycle
            self.due[queue // classes].append(queue)
        if dut.linked_o.value == 1:
            linked = let_in.popleft()
            queue = linked.port * classes + linked.class_
            assert value(dut.done_queue_i) == queue, cycle
            assert (dut.pushes.value == 1) == (queue not in self.listed), cycle
            if queue not in self.listed:
                self.model.push(linked.port, linked.class_, self.model.key(linked))
                self.listed.add(queue)
                self.met["pushed"] += 1
            else:
                self.met["behind others" if self.keys[queue] else "for one that was dropped"] += 1
        else:
            assert dut.pushes.value == 0, cycle
        if dut.pushes_again.value == 1:
            port = value(dut.again_port_q)
            queue, key = self.again.pop(port)
            assert value(dut.left_key_i) == self.model.bits(key), cycle
            self.model.push(port, queue % classes, key)
        if dut.requests.value == 1:
            port = value(dut.chosen)
            assert port not in self.again, cycle
            self.asked.append(port * classes + self.model.pop(port))
        if dut.none_i.value == 1:
            queue = value(dut.none_queue_i)
            assert self.due[queue // classes].popleft() == queue and not self.keys[queue], cycle
            self.listed.remove(queue)
            self.met["none"] += 1
        if left is not None:
            # The queue has been one packet shorter for a cycle.
            queue, sent = left
            if sent:
                assert self.due[queue // classes].popleft() == queue, cycle
                if self.keys[queue]:
                    self.again[queue // classes] = queue, self.keys[queue][0]
                else:
                    self.listed.remove(queue)
        # What is linked, and what is taken out in this cycle, shows in the next.
        if self.dut_takes.value == 1:
            self.keys[value(self.dut_take_queue)].popleft()
        if linked is not None:
            self.keys[linked.port * classes + linked.class_].append(self.model.key(linked))
        return linked
