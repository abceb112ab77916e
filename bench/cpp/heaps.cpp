// The peers in C++, behind a C interface: a heap of the smallest 32-bit rank first.
// A new one is a type, a case in `with_heap`, and a line in src/queues/peers/cpp.rs.

#include <cstdint>
#include <queue>
#include <vector>

#if __has_include(<boost/heap/d_ary_heap.hpp>) && __has_include(<boost/heap/fibonacci_heap.hpp>)
#define FOREBAY_BOOST 1
#include <boost/heap/d_ary_heap.hpp>
#include <boost/heap/fibonacci_heap.hpp>
#endif

namespace {

struct Element {
    uint32_t rank;
    uint32_t item;
};

// All three serve the largest, so the larger rank is the lesser.
struct Later {
    bool operator()(const Element &a, const Element &b) const { return a.rank > b.rank; }
};

using Std = std::priority_queue<Element, std::vector<Element>, Later>;
#ifdef FOREBAY_BOOST
using Dary = boost::heap::d_ary_heap<Element, boost::heap::arity<4>, boost::heap::compare<Later>>;
using Fibonacci = boost::heap::fibonacci_heap<Element, boost::heap::compare<Later>>;
#endif

// Calls `use` with the heap as what it is; exceptions (memory) end the program at the C boundary.
template <typename Use> auto with_heap(uint32_t kind, void *heap, Use use) noexcept {
#ifdef FOREBAY_BOOST
    if (kind == 1) return use(static_cast<Dary *>(heap));
    if (kind == 2) return use(static_cast<Fibonacci *>(heap));
#endif
    (void)kind;
    return use(static_cast<Std *>(heap));
}

}  // namespace

extern "C" {

bool forebay_has_boost() {
#ifdef FOREBAY_BOOST
    return true;
#else
    return false;
#endif
}

void *forebay_heap_new(uint32_t kind) {
#ifdef FOREBAY_BOOST
    if (kind == 1) return new Dary();
    if (kind == 2) return new Fibonacci();
#endif
    (void)kind;
    return new Std();
}

void forebay_heap_free(uint32_t kind, void *heap) {
    with_heap(kind, heap, [](auto *h) { delete h; });
}

void forebay_heap_put(uint32_t kind, void *heap, Element element) {
    with_heap(kind, heap, [&](auto *h) { h->push(element); });
}

Element forebay_heap_take(uint32_t kind, void *heap) {
    return with_heap(kind, heap, [](auto *h) {
        if (h->empty()) return Element{0, 0};
        const Element smallest = h->top();
        h->pop();
        return smallest;
    });
}

}  // extern "C"
