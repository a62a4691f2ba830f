// Tests for races in shared memory, and for missing waits and fences. Correct kernels have no
// finding. A kernel without one of the lines that it needs has a finding, which names the lines of
// both accesses.
#include "base/array.h"
#include "exercise.h"

#include "driver/cuda_abi.h"
#include "sim/check/check.h"
#include "sim/shell/shell.h"
#include "tests.h"

// Small kernels
//
// The comment at the end of a line holds letters. A row that names a small letter omits the lines
// with that letter, or inserts them if the letter follows a +. Capital letters mark the line of a
// finding and the line of the access that it refers to.

// %r1 is the thread, %r2 its warp, %r3 its word in s, %r4 the word 32 threads on (modulo 64), %r5
// s, %r6 the next lane's word, %r7 bar, %r8 bar2, and %r9 the rank in the cluster. %p1 is true in
// the first thread of the last warp (which continues first after a barrier), %p2 in warp 0, %p3 in
// lane 0. %rd1 and %rd2 are global memory, %rd3 is the thread's own 16 bytes of it.
// clang-format off
#define KERNEL(body) \
    ".version 9.0\n.target sm_90a\n.address_size 64\n" \
    ".visible .entry k(.param .u64 out, .param .u64 in) {\n" \
    ".reg .pred %p<10>; .reg .b16 %h<9>; .reg .b32 %r<60>; .reg .b64 %rd<30>; .reg .f32 %f<9>; " \
    ".shared .align 8 .b64 bar[2]; .shared .align 8 .b64 bar2[2]; .shared .align 1024 .b8 s[8192]; " \
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x; " \
    "shr.u32 %r2, %r1, 5; mov.u32 %r5, s; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r5; " \
    "xor.b32 %r4, %r1, 32; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r5; xor.b32 %r6, %r1, 1; " \
    "shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r5; mov.u32 %r7, bar; mov.u32 %r8, bar2; " \
    "mov.u32 %r9, %cluster_ctarank; mul.wide.u32 %rd3, %r1, 16; add.u64 %rd3, %rd3, %rd2; " \
    "mov.u32 %r10, 0; setp.eq.u32 %p2, %r2, 0; and.b32 %r11, %r1, 31; mov.u32 %r12, %ntid.x; " \
    "sub.u32 %r12, %r12, 32; setp.eq.u32 %p1, %r1, %r12; " \
    "setp.eq.u32 %p3, %r11, 0;\n" body "ret;\n}\n"

#define WAIT(label, barrier, parity) \
    label ": mbarrier.try_wait.parity.shared::cta.b64 %p8, [" barrier "], " parity \
          "; @!%p8 bra " label ";"
#define INIT(barrier, count) "@%p1 mbarrier.init.shared::cta.b64 [" barrier "], " count ";\n"
#define EXPECT(barrier, bytes) \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [" barrier "], " bytes ";\n"
#define ARRIVE(barrier) "mbarrier.arrive.shared::cta.b64 _, [" barrier "];"
#define COPY(to, bytes, barrier) \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" to "], [%rd2], " bytes \
    ", [" barrier "];"
#define OUT(from, bytes) "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [" from "], " bytes ";"
#define CLUSTER "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"

// Barriers

#define EXCHANGE \
    KERNEL("st.shared.u32 [%r3], %r1; //B\n" \
           "bar.sync 0; //a\n" \
           "bar.warp.sync -1; //b\n" \
           "ld.shared.u32 %r20, [%r4]; //A\n")

#define ROUNDS \
    KERNEL("again:\n" \
           "st.shared.u32 [%r3], %r10; //A\n" \
           "bar.sync 0;\n" \
           "ld.shared.u32 %r20, [%r4]; //B\n" \
           "bar.sync 0; //a\n" \
           "add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 3; @%p4 bra again;\n")

#define OF_ONE_WARP \
    KERNEL("st.shared.u32 [%r3], %r1; //B\n" \
           "bar.warp.sync -1; //a\n" \
           "shfl.sync.idx.b32 %r20, %r1, 0, 31, -1; //+b\n" \
           "ld.shared.u32 %r20, [%r6]; //AC\n" \
           "bar.warp.sync -1; //c\n" \
           "st.shared.u32 [%r3], %r10; //D\n")

// All lanes read bytes of a word, and one lane writes a byte of it.
#define BYTES_READ \
    KERNEL("and.b32 %r20, %r1, 1; add.u32 %r20, %r20, %r5;\n" \
           "mov.u32 %r20, %r5; //+a\n" \
           "ld.shared.u8 %r21, [%r20]; //B\n" \
           "@%p1 st.shared.u8 [s+2], 9;\n" \
           "@%p1 st.shared.u8 [s], 9; //+aA\n")

#define SAME_PLACE \
    KERNEL("mov.u32 %r10, 7;\n" \
           "mov.u32 %r10, %r2; //+a\n" \
           "mov.u32 %r10, %r1; //+b\n" \
           "st.shared.u32 [s+64], %r10; //A\n")

// Two warps exchange a word each through named barriers.
#define NAMED \
    KERNEL("@!%p2 bra take;\n" \
           "give:\n" \
           "st.shared.u32 [%r3], %r10; //+bC\n" \
           "bar.sync 2, 64;\n" \
           "st.shared.u32 [%r3], %r10; //bB\n" \
           "bar.arrive 1, 64; //a\n" \
           "add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 4; @%p4 bra give;\n" \
           "bar.sync 2, 64; bra end;\n" \
           "bra end;\n" \
           "take:\n" \
           "bar.arrive 2, 64;\n" \
           "again:\n" \
           "bar.sync 1, 64; //a\n" \
           "ld.shared.u32 %r20, [%r4]; //AD\n" \
           "bar.arrive 2, 64;\n" \
           "add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 4; @%p4 bra again;\n" \
           "end:\n")

#define REDUCED \
    KERNEL("st.shared.u32 [%r3], %r1;\n" \
           "barrier.red.popc.aligned.u32 %r21, 0, %p1;\n" \
           "ld.shared.u32 %r20, [%r4];\n")

// Two of four warps meet at a barrier, and a third warp reads the words that they write.
#define BARRIER_OF_SOME \
    KERNEL("setp.lt.u32 %p4, %r2, 2; setp.eq.u32 %p5, %r2, 2;\n" \
           "@%p4 st.shared.u32 [%r3], %r1; //B\n" \
           "bar.sync 0; //a\n" \
           "@!%p4 bra third; bar.sync 1, 64; ld.shared.u32 %r20, [%r4]; bra end;\n" \
           "third: @%p5 ld.shared.u32 %r20, [s]; //A\n" \
           "end:\n")

// Two warps meet at a barrier, and then two others do.
#define AGAIN_BY_OTHERS \
    KERNEL("setp.eq.u32 %p4, %r2, 1; setp.eq.u32 %p5, %r2, 2;\n" \
           "@!%p2 bra second; st.shared.u32 [%r3], %r1; bar.arrive 1, 64; bra end; //B\n" \
           "second: @!%p4 bra third; bar.sync 1, 64; ld.shared.u32 %r20, [%r4]; bra end;\n" \
           "third: add.u32 %r10, %r10, 1; setp.lt.u32 %p6, %r10, 5000; @%p6 bra third;\n" \
           "@!%p5 bra fourth; bar.arrive 1, 64; bra end;\n" \
           "fourth: bar.sync 1, 64;\n" \
           "ld.shared.u32 %r20, [s]; //+aA\n" \
           "end:\n")

#define BYTES_APART \
    KERNEL("add.u32 %r20, %r5, %r1; st.shared.u8 [%r20], %r1; ld.shared.u8 %r21, [%r20]; //B\n" \
           "add.u32 %r20, %r5, %r1; xor.b32 %r20, %r20, 32; //+a\n" \
           "ld.shared.u8 %r21, [%r20]; //A\n")

// Atomic operations

#define COUNTERS \
    KERNEL("and.b32 %r20, %r1, 7; shl.b32 %r20, %r20, 2; add.u32 %r20, %r20, %r5;\n" \
           "setp.lt.u32 %p4, %r1, 8; @%p4 st.shared.u32 [%r3], %r10; //D\n" \
           "bar.sync 0; //b\n" \
           "red.shared.add.u32 [%r20], 1; //dBC\n" \
           "atom.shared.add.u32 %r30, [%r20], 1; //+eB\n" \
           "bar.sync 0; //a\n" \
           "setp.lt.u32 %p4, %r1, 8; @%p4 ld.shared.u32 %r22, [%r3]; //A\n")

// One thread of each warp increments a counter under a lock made of atomics.
#define LOCK(space, address) \
    KERNEL("@!%p3 bra end;\n" \
           "try: atom." space ".cas.b32 %r20, [" address "], 0, 1;\n" \
           "setp.ne.u32 %p4, %r20, 0; @%p4 bra try; //a\n" \
           "ld.shared.u32 %r21, [s]; //C\n" \
           "add.u32 %r21, %r21, 1;\n" \
           "st.shared.u32 [s], %r21; //D\n" \
           "atom." space ".exch.b32 %r20, [" address "], 0;\n" \
           "end:\n")

#define NO_LOCK \
    KERNEL("@!%p3 bra end; ld.shared.u32 %r21, [s]; add.u32 %r21, %r21, 1; //B\n" \
           "st.shared.u32 [s], %r21; //A\n" \
           "end:\n")

// Lanes of a warp take one lock, one after another.
#define LOCK_OF_LANES \
    KERNEL("mov.u32 %r22, 0;\n" \
           "try: atom.shared.cas.b32 %r20, [bar], 0, 1; setp.eq.u32 %p4, %r20, 0;\n" \
           "@!%p4 bra next; ld.shared.u32 %r21, [s]; add.u32 %r21, %r21, 1;\n" \
           "st.shared.u32 [s], %r21; mov.u32 %r22, 1; membar.cta;\n" \
           "atom.shared.exch.b32 %r20, [bar], 0;\n" \
           "next: setp.eq.u32 %p4, %r22, 0; @%p4 bra try;\n")

// A word, and a flag that publishes it.
#define FLAG(strong) \
    KERNEL("@!%p3 bra end; @!%p2 bra take;\n" \
           "st.shared.u32 [s], 5; membar.cta; //D\n" \
           "st" strong ".shared.u32 [s+4], 1; bra end; //B\n" \
           "take: ld" strong ".shared.u32 %r20, [s+4]; //A\n" \
           "setp.eq.u32 %p4, %r20, 0; @%p4 bra take;\n" \
           "ld.shared.u32 %r21, [s]; //C\n" \
           "end:\n")

// The last block reads the words of all blocks.
#define LAST_BLOCK \
    KERNEL("st.shared.u32 [%r3], %r1; bar.sync 0;\n" \
           "ld.shared.u32 %r20, [%r4]; mov.u32 %r21, %ctaid.x; shl.b32 %r22, %r21, 6;\n" \
           "@!%p1 bra told; mul.wide.u32 %rd5, %r21, 4; add.u64 %rd5, %rd5, %rd1;\n" \
           "st.global.u32 [%rd5], %r20; membar.gl; atom.global.inc.u32 %r23, [%rd2], 7;\n" \
           "setp.eq.u32 %p4, %r23, 7; selp.u32 %r24, 1, 0, %p4; st.shared.u32 [s+4096], %r24; //B\n" \
           "told:\n" \
           "bar.sync 0; //a\n" \
           "bar.warp.sync -1; //b\n" \
           "ld.shared.u32 %r24, [s+4096]; setp.eq.u32 %p4, %r24, 0; @%p4 bra end; //A\n" \
           "ld.global.u32 %r25, [%rd1];\n" \
           "end:\n")

// Clusters

// Each block writes to the next block's memory.
#define REMOTE \
    KERNEL("xor.b32 %r20, %r9, 1; mapa.shared::cluster.u32 %r21, %r3, %r20;\n" \
           "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n" \
           "st.shared::cluster.u32 [%r21], %r1; //B\n" \
           "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; //a\n" \
           "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned; //+b\n" \
           "ld.shared.u32 %r22, [%r3]; //A\n")

// Block 1 reads the memory of block 0, which then ends.
#define PEER \
    KERNEL("st.shared.u32 [%r3], %r1; " CLUSTER "\n" \
           "setp.eq.u32 %p4, %r9, 1; mov.u32 %r20, 1; mapa.shared::cluster.u32 %r21, %r3, %r20;\n" \
           "@%p4 bra end;\n" \
           "slow: //+b\n" \
           "add.u32 %r10, %r10, 1; setp.lt.u32 %p5, %r10, 5000; @%p5 bra slow; //+b\n" \
           "ld.shared::cluster.u32 %r22, [%r21]; //B\n" \
           "end:\n" CLUSTER " //a\n" \
           "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned; //+c\n" \
           "ret; //A\n")

// mbarriers

#define MBARRIER \
    KERNEL(INIT("bar", "64") \
           "bar.sync 0; //b\n" \
           "st.shared.u32 [%r3], %r1; //B\n" \
           "mbarrier.arrive.shared::cta.b64 _, [%r7]; //aD\n" \
           "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r7]; //+c\n" \
           WAIT("w", "%r7", "0") " //a\n" \
           "ld.shared.u32 %r20, [%r4]; //A\n")

// 256 mbarriers, one for each warp, and one mbarrier at which both warps arrive.
#define MANY_MBARRIERS \
    KERNEL("and.b32 %r20, %r1, 31; shl.b32 %r21, %r2, 8; shl.b32 %r20, %r20, 3;\n" \
           "add.u32 %r20, %r20, %r21; add.u32 %r20, %r20, %r5; add.u32 %r21, %r20, 4096;\n" \
           "again:\n" \
           "mbarrier.init.shared::cta.b64 [%r20], 1; mbarrier.arrive.shared::cta.b64 _, [%r20];\n" \
           WAIT("w", "%r20", "0") "\n" \
           "add.u32 %r20, %r20, 512; setp.lt.u32 %p4, %r20, %r21; @%p4 bra again;\n" \
           INIT("bar", "64") "st.shared.u32 [%r3+4096], %r1; bar.sync 0;\n" \
           "st.shared.u32 [%r3+4096], %r10; //B\n" \
           ARRIVE("%r7") "\n" \
           WAIT("w2", "%r7", "0") " //a\n" \
           "ld.shared.u32 %r20, [%r4+4096]; //A\n")

#define MBARRIER_INIT \
    KERNEL("and.pred %p4, %p2, %p3;\n" \
           "@%p4 mbarrier.init.shared::cta.b64 [bar], 64; //B\n" \
           "bar.warp.sync -1;\n" \
           "bar.sync 0; //a\n" \
           "mbarrier.arrive.shared::cta.b64 _, [%r7]; //A\n")

// cp.async

#define CP "cp.async.cg.shared.global [%r20], [%rd3], 16;"
#define COPIES \
    KERNEL("shl.b32 %r20, %r1, 4; add.u32 %r20, %r20, %r5; xor.b32 %r21, %r20, 512;\n" \
           "mov.u32 %r21, %r20; //+o\n" \
           "xor.b32 %r21, %r20, 16; //+n\n" \
           CP " //B\n" \
           "cp.async.commit_group; //c\n" \
           "cp.async.wait_group 0; //ac\n" \
           "cp.async.wait_all; //+w\n" \
           "bar.warp.sync -1; //+m\n" \
           "bar.sync 0; //b\n" \
           "ld.shared.u32 %r22, [%r21]; //A\n" \
           "bar.sync 0; //r\n" \
           "xor.b32 %r20, %r20, 512; //+s\n" \
           CP " cp.async.wait_all; //C\n")

// Two stages: the older one is read while the newer one is in flight.
#define COPY_STAGES \
    KERNEL("shl.b32 %r20, %r1, 4; add.u32 %r20, %r20, %r5; xor.b32 %r21, %r20, 512;\n" \
           CP " cp.async.commit_group; //B\n" \
           "add.u32 %r20, %r20, 1024; " CP " cp.async.commit_group; //D\n" \
           "cp.async.wait_group 1; //a\n" \
           "cp.async.wait_group 2; //+b\n" \
           "bar.sync 0; ld.shared.u32 %r22, [%r21]; //A\n" \
           "cp.async.wait_group 0; //c\n" \
           "bar.sync 0; ld.shared.u32 %r22, [%r21+1024]; //C\n")

#define COPIES_ARRIVE \
    KERNEL(INIT("bar", "64") \
           "bar.sync 0; shl.b32 %r20, %r1, 4; add.u32 %r20, %r20, %r5; xor.b32 %r21, %r20, 512;\n" \
           CP " //B\n" \
           "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r7]; //a\n" \
           "mbarrier.arrive.shared::cta.b64 _, [%r7]; //+b\n" \
           WAIT("w", "%r7", "0") "\n" \
           "ld.shared.u32 %r22, [%r21]; //A\n")

// Bulk copies

#define BULK \
    KERNEL(INIT("bar", "1") INIT("bar2", "1") \
           "fence.mbarrier_init.release.cluster; bar.sync 0; @!%p1 bra rest;\n" \
           EXPECT("%r7", "256") EXPECT("%r8", "256") \
           COPY("s", "256", "%r7") " //B\n" \
           COPY("s+256", "256", "%r8") " //D\n" \
           "rest:\n" \
           WAIT("w", "%r7", "0") " //a\n" \
           WAIT("w2", "%r8", "0") " //+b\n" \
           "ld.shared.u32 %r22, [%r3]; //A\n")

// One thread waits for all threads.
#define BULK_FOR_ALL \
    KERNEL(INIT("bar", "1") \
           "fence.mbarrier_init.release.cluster; bar.sync 0; @!%p1 bra rest;\n" \
           EXPECT("%r7", "256") \
           COPY("s", "256", "%r7") " //B\n" \
           WAIT("w", "%r7", "0") "\n" \
           "rest:\nbar.warp.sync -1;\n" \
           "bar.sync 0; //a\n" \
           "ld.shared.u32 %r22, [%r3]; //A\n")

// A ring of two stages of 256 bytes: warp 0 fills, warp 1 reads.
#define RING \
    KERNEL(INIT("bar", "1") INIT("bar+8", "1") INIT("bar2", "32") INIT("bar2+8", "32") \
           "bar.sync 0; @%p2 bra take; @!%p1 bra end;\n" \
           "give: and.b32 %r20, %r10, 1; shl.b32 %r21, %r20, 3; add.u32 %r22, %r21, %r7;\n" \
           "add.u32 %r23, %r21, %r8; shl.b32 %r24, %r20, 8; add.u32 %r24, %r24, %r5;\n" \
           "shr.u32 %r25, %r10, 1; and.b32 %r25, %r25, 1; xor.b32 %r26, %r25, 1;\n" \
           WAIT("free", "%r23", "%r26") " //a\n" \
           EXPECT("%r22", "256") \
           COPY("%r24", "256", "%r22") " //AD\n" \
           "add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 8; @%p4 bra give; bra end;\n" \
           "take: and.b32 %r20, %r10, 1; shl.b32 %r21, %r20, 3; add.u32 %r22, %r21, %r7;\n" \
           "add.u32 %r23, %r21, %r8; shl.b32 %r24, %r20, 8; shl.b32 %r27, %r11, 3;\n" \
           "add.u32 %r24, %r24, %r5; add.u32 %r24, %r24, %r27;\n" \
           "shr.u32 %r25, %r10, 1; and.b32 %r25, %r25, 1;\n" \
           "xor.b32 %r22, %r22, 8; //+s\n" \
           WAIT("there", "%r22", "%r25") " //b\n" \
           "xor.b32 %r23, %r23, 8; //+e\n" \
           ARRIVE("%r23") " //+c\n" \
           "ld.shared.v2.u32 {%r28, %r29}, [%r24]; //BC\n" \
           ARRIVE("%r23") " //c\n" \
           "add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 8; @%p4 bra take;\n" \
           "end:\n")

// Copies out of shared memory, and reuses the source.
#define STORES \
    KERNEL("st.shared.u32 [%r3], %r1; //B\n" \
           "fence.proxy.async.shared::cta; //a\n" \
           "fence.proxy.async.global; //+g\n" \
           "st.shared.u32 [%r3], %r10; //+hF\n" \
           "bar.sync 0; //b\n" \
           "bar.warp.sync -1; fence.proxy.async; //+f\n" \
           "@!%p1 bra rest;\n" \
           OUT("s", "256") " //AD\n" \
           "cp.async.bulk.commit_group;\n" \
           "cp.async.bulk.wait_group.read 0; //c\n" \
           "rest:\nbar.warp.sync -1;\n" \
           "bar.sync 0; //d\n" \
           "st.shared.u32 [%r3], %r10; //C\n" \
           "bra end; //+c\n" \
           "end: bar.sync 0; //E\n")

#define STORE_LAST \
    KERNEL("st.shared.u32 [%r3], %r1; fence.proxy.async; bar.sync 0; @!%p1 bra end;\n" \
           OUT("s", "256") " cp.async.bulk.commit_group; //B\n" \
           "cp.async.bulk.wait_group 0; //a\n" \
           "end:\n")

// Writes zeros, and then copies to the same place.
#define OVER_ZEROS \
    KERNEL(INIT("bar", "1") \
           "st.shared.u32 [%r3], %r10; //B\n" \
           "fence.proxy.async; //a\n" \
           "bar.sync 0; @!%p1 bra w;\n" \
           EXPECT("%r7", "256") COPY("s", "256", "%r7") " //A\n" \
           WAIT("w", "%r7", "0") " ld.shared.u32 %r20, [%r3];\n")

#define TWO_COPIES \
    KERNEL(INIT("bar", "1") \
           "bar.sync 0; @!%p1 bra w;\n" \
           EXPECT("%r7", "512") COPY("s", "256", "%r7") " //B\n" \
           COPY("s+128", "256", "%r7") " //+aA\n" \
           COPY("s+256", "256", "%r7") " //a\n" \
           WAIT("w", "%r7", "0") " ld.shared.u32 %r20, [%r3];\n")

// Block 0 sends to both blocks once both are ready.
#define MULTICAST \
    KERNEL(INIT("bar", "1") \
           "fence.mbarrier_init.release.cluster;\n" \
           "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 256;\n" \
           CLUSTER "\n" \
           "mov.u16 %h1, 3; setp.eq.u32 %p4, %r9, 0; and.pred %p4, %p4, %p1;\n" \
           "@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" \
           ".multicast::cluster [%r5], [%rd2], 256, [%r7], %h1; //B\n" \
           WAIT("w", "%r7", "0") " //a\n" \
           "ld.shared.u32 %r20, [%r3]; //bA\n" \
           CLUSTER " //b\n" \
           "mov.u32 %r20, 0; //C\n")

// Each thread of block 1 stores to block 0 with st.async.
#define ST_ASYNC \
    KERNEL(INIT("bar", "1") CLUSTER "\n" \
           "setp.eq.u32 %p4, %r9, 0; and.pred %p5, %p4, %p1; @!%p5 bra here;\n" \
           EXPECT("%r7", "768") \
           "here: mov.u32 %r20, 0; mapa.shared::cluster.u32 %r21, %r3, %r20;\n" \
           "mapa.shared::cluster.u32 %r22, %r7, %r20; mapa.shared::cluster.u32 %r23, %r5, %r20;\n" \
           "@!%p4 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r21], %r1, [%r22]; //B\n" \
           "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 " \
           "[%r23+512], 1, [%r22]; @!%p4 bra end; //F\n" \
           WAIT("w", "%r7", "0") " //a\n" \
           "ld.shared.u32 %r20, [%r3]; //A\n" \
           "ld.shared.u32 %r20, [s+512]; //E\n" \
           "end: " CLUSTER "\n")

// wgmma

// A is 64 x 16 and B is 8 x 16, both f16 without a swizzle: 2048 and 256 bytes of s.
#define PRODUCT "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd10, %rd11, "
#define PRODUCTS \
    KERNEL("shl.b32 %r20, %r1, 4; add.u32 %r20, %r20, %r5; shr.u32 %r21, %r5, 4;\n" \
           "cvt.u64.u32 %rd10, %r21; or.b64 %rd10, %rd10, 0x1000080000; add.u64 %rd11, %rd10, 128;\n" \
           "add.u64 %rd12, %rd10, 256;\n" \
           "@%p1 mbarrier.init.shared::cta.b64 [bar], 1; //+t\n" \
           "st.shared.v4.u32 [%r20], {%r10, %r10, %r10, %r10}; //B\n" \
           "st.shared.v4.u32 [%r20+2048], {%r10, %r10, %r10, %r10}; //H\n" \
           "st.shared.v4.u32 [%r20+4096], {%r10, %r10, %r10, %r10};\n" \
           "fence.proxy.async; //a\n" \
           "bar.sync 0; //b\n" \
           "@!%p1 bra there; //+t\n" \
           "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 256; //+t\n" \
           COPY("s+2048", "256", "%r7") " //+tD\n" \
           "there:\n" \
           "wgmma.fence.sync.aligned; //f\n" \
           WAIT("w", "%r7", "0") " //+v\n" \
           PRODUCT "0, 1, 1, 0, 0; //AF\n" \
           "wgmma.commit_group.sync.aligned;\n" \
           "mov.u64 %rd10, %rd12; " PRODUCT "1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; //G\n" \
           "wgmma.wait_group.sync.aligned 1; //c\n" \
           "bar.sync 0; //d\n" \
           "st.shared.v4.u32 [%r20], {%r10, %r10, %r10, %r10}; //C\n" \
           "wgmma.wait_group.sync.aligned 0; //e\n" \
           "bar.sync 0;\n" \
           "st.shared.v4.u32 [%r20+2048], {%r10, %r10, %r10, %r10}; //E\n")

// ---- Matrices in the registers of a warp

#define MATRICES \
    KERNEL("shl.b32 %r20, %r11, 4; add.u32 %r20, %r20, %r5; shl.b32 %r21, %r2, 9;\n" \
           "add.u32 %r22, %r20, %r21; xor.b32 %r23, %r21, 512; add.u32 %r23, %r23, %r20;\n" \
           "st.shared.v4.u32 [%r22], {%r10, %r10, %r10, %r10}; //B\n" \
           "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r24, %r25, %r26, %r27}, [%r22];\n" \
           "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r22], {%r24, %r25, %r26, %r27};\n" \
           "bar.sync 0; //a\n" \
           "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r24, %r25, %r26, %r27}, [%r23]; //A\n")

// Later blocks reuse a barrier's storage; all but the third do so correctly.
#define LATER \
    KERNEL("mov.u32 %r40, %ctaid.x; setp.ne.u32 %p9, %r40, 2;\n" INIT("bar", "1") \
           "st.shared.u32 [%r3+2048], %r1; st.shared.u32 [%r3+4096], %r10; //G\n" \
           "fence.proxy.async; //f\n" \
           "@%p9 fence.proxy.async; //+f\n" \
           "bar.sync 0; shl.b32 %r20, %r1, 4; add.u32 %r20, %r20, %r5;\n" \
           CP " cp.async.commit_group; //C\n" \
           "cp.async.wait_group 0; //c\n" \
           "@%p9 cp.async.wait_group 0; //+c\n" \
           "ld.shared.u32 %r21, [%r20]; //D\n" \
           "ld.shared.u32 %r21, [%r3+2048]; bar.sync 0; @!%p1 bra wait;\n" \
           EXPECT("%r7", "256") COPY("s+2048", "256", "%r7") " //BF\n" \
           OUT("s+4096", "256") " cp.async.bulk.commit_group;\n" \
           "cp.async.bulk.wait_group.read 0; //o\n" \
           "@%p9 cp.async.bulk.wait_group.read 0; //+o\n" \
           "wait:\n" \
           "@!%p9 bra read; //+w\n" \
           WAIT("w", "%r7", "0") "\n" \
           "read: ld.shared.u32 %r21, [%r3+2048]; //A\n")

#define LATER_PRODUCT \
    KERNEL("mov.u32 %r40, %ctaid.x; setp.eq.u32 %p9, %r40, 2; @%p9 bra product;\n" \
           "wgmma.fence.sync.aligned; //B\n" \
           "product: bar.sync 0; mov.u64 %rd10, 0x1000080000; mov.u64 %rd11, 0x1000080080;\n" \
           PRODUCT "0, 1, 1, 0, 0; //A\n" \
           "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n")

struct race_test {
    const char *name;
    uint32_t threads, blocks, cluster; // 0: 64, 1, none
    const char *ptx;
    const char *without, *with;
    char at, before; // letters of the finding's lines; 0: none
    const char *words;
};

#define SILENT 0, 0, NULL
#define NO_BARRIER ", and no barrier lies between (check: race)"
#define NO_SYNC ", and no bar.warp.sync lies between (check: race)"
#define NO(what) ", and no " what " lies between (check: async)"

static const struct race_test tests[] = {
    { "a barrier between", 64, 1, 0, EXCHANGE, "b", "", SILENT },
    { "no barrier", 64, 1, 0, EXCHANGE, "ab", "", 'A', 'B',
      " of 4 bytes at shared offset 0x480: thread (" },
    { "a warp's barrier alone", 64, 1, 0, EXCHANGE, "a", "", 'A', 'B', NO_BARRIER },
    { "rounds", 64, 1, 0, ROUNDS, "", "", SILENT },
    { "rounds with one barrier", 64, 1, 0, ROUNDS, "a", "", 'A', 'B', NO_BARRIER },
    { "lanes of a warp", 32, 1, 0, OF_ONE_WARP, "", "", SILENT },
    { "lanes read what others write", 32, 1, 0, OF_ONE_WARP, "a", "", 'A', 'B', NO_SYNC },
    { "lanes write what others read", 32, 1, 0, OF_ONE_WARP, "c", "", 'D', 'C', NO_SYNC },
    { "a shuffle between lanes", 32, 1, 0, OF_ONE_WARP, "a", "b", SILENT },
    { "bytes beside those that are read", 32, 1, 0, BYTES_READ, "", "", SILENT },
    { "a byte that all have read", 32, 1, 0, BYTES_READ, "", "a", 'A', 'B', NO_SYNC },
    { "all write the same", 64, 1, 0, SAME_PLACE, "", "", SILENT },
    { "warps write different values", 64, 1, 0, SAME_PLACE, "", "a", 'A', 'A',
      "write of 4 bytes at shared offset 0x440: " },
    { "lanes write different values", 32, 1, 0, SAME_PLACE, "", "b", 'A', 0,
      "writes something else there by the same instruction (check: race)" },
    { "named barriers", 64, 1, 0, NAMED, "", "", SILENT },
    { "what is given is not waited for", 64, 1, 0, NAMED, "a", "", 'A', 'B', NO_BARRIER },
    { "what is taken is not waited for", 64, 1, 0, NAMED, "b", "b", 'C', 'D', NO_BARRIER },
    { "barrier.red is a barrier", 64, 1, 0, REDUCED, "", "", SILENT },
    { "a barrier of others", 128, 1, 0, BARRIER_OF_SOME, "", "", SILENT },
    { "a barrier of others only", 128, 1, 0, BARRIER_OF_SOME, "a", "", 'A', 'B', NO_BARRIER },
    { "a barrier again", 128, 1, 0, AGAIN_BY_OTHERS, "", "", SILENT },
    { "a barrier that others have met at", 128, 1, 0, AGAIN_BY_OTHERS, "", "a", 'A', 'B',
      NO_BARRIER },
    { "bytes of a word", 64, 1, 0, BYTES_APART, "", "", SILENT },
    { "a byte of another warp", 64, 1, 0, BYTES_APART, "", "a", 'A', 'B', " of 1 byte at shared" },

    { "counters", 64, 1, 0, COUNTERS, "", "", SILENT },
    { "counters read at once", 64, 1, 0, COUNTERS, "a", "", 'A', 'B', NO_BARRIER },
    { "counters read at once, by atom", 64, 1, 0, COUNTERS, "ad", "e", 'A', 'B', NO_BARRIER },
    { "counters that are not there yet", 64, 1, 0, COUNTERS, "b", "", 'C', 'D',
      "atomic access of 4 bytes at shared offset 0x4" },
    { "a lock in shared memory", 128, 1, 0, LOCK("shared", "bar"), "", "", SILENT },
    { "a lock in global memory", 128, 1, 0, LOCK("global", "%rd1"), "", "", SILENT },
    { "no lock", 128, 1, 0, NO_LOCK, "", "", 'A', 'B', "thread (0,0,0) " },
    { "a lock between lanes", 64, 1, 0, LOCK_OF_LANES, "", "", SILENT },
    { "a volatile flag", 64, 1, 0, FLAG(".volatile"), "", "", SILENT },
    { "a plain flag", 64, 1, 0, FLAG(""), "", "", 'A', 'B', NO_BARRIER },
    { "the last block", 64, 8, 0, LAST_BLOCK, "b", "", SILENT },
    { "whether it is the last block", 64, 8, 0, LAST_BLOCK, "a", "", 'A', 'B', NO_BARRIER },
    { "many blocks in the same place", 64, 999, 0, EXCHANGE, "b", "", SILENT },

    { "memory of another block", 64, 4, 2, REMOTE, "", "", SILENT },
    { "no barrier of the cluster", 64, 2, 2, REMOTE, "a", "", 'A', 'B', "of block (" },
    { "a relaxed barrier of the cluster", 64, 2, 2, REMOTE, "a", "b", 'A', 'B', NO_BARRIER },
    { "a block that stays", 64, 4, 2, PEER, "", "", SILENT },
    { "a block that stays, by a relaxed barrier", 64, 4, 2, PEER, "a", "c", SILENT },
    { "a block that may end while others read it", 64, 2, 2, PEER, "a", "", 'A', 'B',
      "the block ends while thread (31,0,0) of block (0,0,0) may still access its shared memory" },
    { "a block that has ended", 64, 2, 2, PEER, "a", "b", 'B', 0,
      "of block (1,0,0), which has ended: no barrier of the cluster keeps it (check: race)" },

    { "an mbarrier of all", 64, 1, 0, MBARRIER, "", "", SILENT },
    { "relaxed arrivals", 64, 1, 0, MBARRIER, "a", "c", 'A', 'B', NO_BARRIER },
    { "hundreds of mbarriers", 64, 1, 0, MANY_MBARRIERS, "", "", SILENT },
    { "hundreds of mbarriers, and one not waited for", 64, 1, 0, MANY_MBARRIERS, "a", "", 'A',
      'B', NO_BARRIER },
    { "an mbarrier that is made first", 64, 1, 0, MBARRIER_INIT, "", "", SILENT },
    { "an mbarrier that may not be there", 64, 1, 0, MBARRIER_INIT, "a", "", 'A', 'B',
      "mbarrier operation of 8 bytes at shared offset 0x0: thread (0,0,0) wrote it" },

    { "cp.async", 64, 1, 0, COPIES, "", "", SILENT },
    { "cp.async to itself", 64, 1, 0, COPIES, "b", "os", SILENT },
    { "cp.async.wait_all", 64, 1, 0, COPIES, "ac", "w", SILENT },
    { "cp.async that is not waited for", 64, 1, 0, COPIES, "a", "", 'A', 'B',
      NO("cp.async.wait_group") },
    { "a thread's own that is not waited for", 64, 1, 0, COPIES, "a", "o", 'A', 'B',
      NO("cp.async.wait_group") },
    { "a group that was never made", 64, 1, 0, COPIES, "c", "", 'A', 'B',
      NO("cp.async.wait_group") },
    { "cp.async of another warp, and no barrier", 64, 1, 0, COPIES, "b", "", 'A', 'B',
      " of 16 bytes at shared offset 0x600: thread (" },
    { "cp.async of another lane, and no barrier", 64, 1, 0, COPIES, "b", "n", 'A', 'B', NO_SYNC },
    { "cp.async of another lane, and its warp's barrier", 64, 1, 0, COPIES, "b", "nms", SILENT },
    { "cp.async over what others read", 64, 1, 0, COPIES, "r", "", 'C', 'A', NO_BARRIER },
    { "stages", 64, 1, 0, COPY_STAGES, "", "", SILENT },
    { "the older stage is not waited for", 64, 1, 0, COPY_STAGES, "a", "b", 'A', 'B',
      NO("cp.async.wait_group") },
    { "the newer stage is not waited for", 64, 1, 0, COPY_STAGES, "c", "", 'C', 'D',
      NO("cp.async.wait_group") },
    { "cp.async that arrives", 64, 1, 0, COPIES_ARRIVE, "", "", SILENT },
    { "a thread that arrives without its cp.async", 64, 1, 0, COPIES_ARRIVE, "a", "b", 'A', 'B',
      NO("cp.async.wait_group") },

    { "bulk copies", 64, 1, 0, BULK, "", "", SILENT },
    { "a bulk copy that is not waited for", 64, 1, 0, BULK, "a", "", 'A', 'B',
      ": the copy writes it at line" },
    { "the wrong mbarrier", 64, 1, 0, BULK, "a", "b", 'A', 'B', NO("wait for the mbarrier at 0x0") },
    { "one waits for all", 64, 1, 0, BULK_FOR_ALL, "", "", SILENT },
    { "one waits, and no barrier", 64, 1, 0, BULK_FOR_ALL, "a", "", 'A', 'B',
      NO("wait for the mbarrier at 0x0") },
    { "a ring", 64, 1, 0, RING, "", "", SILENT },
    { "a ring whose stages are not waited for", 64, 1, 0, RING, "b", "", 'B', 'A',
      NO("wait for the mbarrier at 0x0") },
    { "a ring that waits for the wrong stage", 64, 1, 0, RING, "", "s", 'B', 'A',
      NO("wait for the mbarrier at 0x0") },
    { "a ring that does not wait for readers", 64, 1, 0, RING, "a", "", 'D', 0, "(check: " },
    { "a ring whose readers let go first", 64, 1, 0, RING, "c", "c", 'D', 'C', NO_BARRIER },
    { "stores", 64, 1, 0, STORES, "", "", SILENT },
    { "a fence of the thread that stores", 64, 1, 0, STORES, "a", "f", SILENT },
    { "no proxy fence", 64, 1, 0, STORES, "a", "", 'A', 'B', NO("fence.proxy.async") },
    { "a proxy fence of global memory", 64, 1, 0, STORES, "a", "g", 'A', 'B',
      NO("fence.proxy.async") },
    { "a store after the fence", 64, 1, 0, STORES, "", "h", 'A', 'F', NO("fence.proxy.async") },
    { "a fence and no barrier", 64, 1, 0, STORES, "b", "f", 'A', 'B',
      "read by the bulk copy of 256 bytes at shared offset 0x400: thread (0,0,0) wrote it" },
    { "what is stored is overwritten", 64, 1, 0, STORES, "c", "", 'C', 'D',
      NO("cp.async.bulk.wait_group.read") },
    { "what others store is overwritten", 64, 1, 0, STORES, "d", "", 'C', 'D', NO_BARRIER },
    { "the last store", 64, 1, 0, STORE_LAST, "", "", SILENT },
    { "the last store is not waited for", 64, 1, 0, STORE_LAST, "a", "", 0, 0,
      "the block ends while the bulk copy of line 7 may still read its shared memory" },
    { "a copy over zeros", 64, 1, 0, OVER_ZEROS, "", "", SILENT },
    { "a copy over zeros without a fence", 64, 1, 0, OVER_ZEROS, "a", "", 'A', 'B',
      NO("fence.proxy.async") },
    { "copies side by side", 64, 1, 0, TWO_COPIES, "", "", SILENT },
    { "copies over one another", 64, 1, 0, TWO_COPIES, "a", "a", 'A', 'B',
      "asynchronous write of 256 bytes at shared offset 0x480: the copy writes it" },
    { "a multicast", 64, 4, 2, MULTICAST, "", "", SILENT },
    { "a multicast that is not waited for", 64, 2, 2, MULTICAST, "a", "", 'A', 'B',
      " of 256 bytes at shared offset 0x400" },
    { "a block that ends before what is sent to it", 64, 2, 2, MULTICAST, "ab", "", 0, 0,
      "" },
    { "st.async and red.async", 64, 4, 2, ST_ASYNC, "", "", SILENT },
    { "st.async that is not waited for", 64, 2, 2, ST_ASYNC, "a", "", 'E', 'F',
      NO("wait for the mbarrier at 0x0") },

    { "wgmma", 128, 1, 0, PRODUCTS, "", "", SILENT },
    { "wgmma of what a copy brings", 128, 1, 0, PRODUCTS, "", "tv", SILENT },
    { "wgmma of what a copy will bring", 128, 1, 0, PRODUCTS, "", "t", 'A', 'D',
      NO("wait for the mbarrier at 0x0") },
    { "wgmma and no proxy fence", 128, 1, 0, PRODUCTS, "a", "", 'A', 'B',
      NO("fence.proxy.async") },
    { "wgmma and no barrier", 128, 1, 0, PRODUCTS, "b", "", 'A', 'H', "read by wgmma of 16 bytes" },
    { "wgmma and no wgmma.fence", 128, 1, 0, PRODUCTS, "f", "", 'F', 0,
      "the first wgmma.mma_async of a warp, and no wgmma.fence before it (check: async)" },
    { "an operand that is overwritten", 128, 1, 0, PRODUCTS, "c", "", 'C', 'A',
      NO("wgmma.wait_group") },
    { "an operand of the newest group", 128, 1, 0, PRODUCTS, "e", "", 'E', 0,
      NO("wgmma.wait_group") },

    { "later blocks", 64, 40, 0, LATER, "", "", SILENT },
    { "a later block's cp.async", 64, 40, 0, LATER, "c", "c", 'D', 'C', "block (2,0,0)" },
    { "a later block's fence", 64, 40, 0, LATER, "f", "f", 'F', 'G', "block (2,0,0)" },
    { "a later block's copy", 64, 40, 0, LATER, "", "w", 'A', 'B', "block (2,0,0)" },
    { "a later block's last store", 64, 40, 0, LATER, "o", "o", 0, 0,
      "the block ends while the bulk copy of line" },
    { "later rings", 64, 40, 0, RING, "", "", SILENT },
    { "later products", 128, 40, 0, PRODUCTS, "", "tv", SILENT },
    { "a later block's first product", 128, 40, 0, LATER_PRODUCT, "", "", 'A', 0,
      "no wgmma.fence before it" },
    { "later clusters", 64, 40, 2, MULTICAST, "", "", SILENT },

    { "ldmatrix and stmatrix", 64, 1, 0, MATRICES, "", "", SILENT },
    { "ldmatrix of another warp's", 64, 1, 0, MATRICES, "a", "", 'A', 'B', NO_BARRIER },
};

// clang-format on

// The letters of a line, or "".
static const char *letters_of(const char *line, const char *end)
{
    for (const char *p = line; p + 1 < end; p++)
        if (p[0] == '/' && p[1] == '/')
            return p + 2;
    return end;
}

static bool has(const char *letters, const char *end, char letter)
{
    return letter && memchr(letters, letter, (size_t)(end - letters)) != NULL;
}

// Makes a row's kernel, in which an omitted part becomes an empty line, and finds its two lines.
static char *kernel_of(const struct race_test *t, uint32_t *at, uint32_t *before)
{
    char *ptx = strdup(t->ptx);
    uint32_t number = 1;

    ck_assert_ptr_nonnull(ptx);
    *at = *before = 0;
    for (char *line = ptx; *line; number++) {
        char *end = strchr(line, '\n');
        const char *letters = letters_of(line, end);
        bool added = letters < end && *letters == '+', keep = !added;
        for (const char *p = letters + added; p < end; p++) {
            if (added && *p >= 'a' && *p <= 'z')
                keep = keep || strchr(t->with, *p);
            else if (*p >= 'a' && *p <= 'z' && strchr(t->without, *p))
                keep = false;
        }
        if (keep) {
            *at = has(letters, end, t->at) ? number : *at;
            *before = has(letters, end, t->before) ? number : *before;
        } else {
            memset(line, ' ', (size_t)(end - line));
        }
        line = end + 1;
    }
    return ptx;
}

static void check_for(const char *words)
{
    char wrong[32];

    ck_assert_msg(sim_checks_read(words, wrong, sizeof(wrong)), "%s", wrong);
}

static bool is_between(const char *report, uint32_t at, uint32_t before)
{
    char where[32], other[32];

    snprintf(where, sizeof(where), "PTX line %u,", at);
    snprintf(other, sizeof(other), "at line %u", before);
    return at && strstr(report, where) && (!before || strstr(report, other));
}

CASE("kernels", .timeout = 60);

TEST_ROWS(a_kernel_has_its_expected_finding_or_none, tests)
{
    const struct race_test *t = &tests[_i];
    uint32_t at, before;
    char *ptx = kernel_of(t, &at, &before);
    void *out = harness_memory(4096), *in = harness_memory(8192);

    check_for("race,async,error");
    struct sim_program *program = harness_load(ptx);
    int code = harness_run(
        program,
        &(struct harness_launch){ .grid = { t->blocks },
                                  .block = { t->threads },
                                  .cluster = { t->cluster, t->cluster ? 1 : 0, t->cluster ? 1 : 0 },
                                  .arguments = { HARNESS_POINTER(out), HARNESS_POINTER(in) } });
    const char *report = harness_report();
    if (!t->words) {
        ck_assert_msg(code == 0, "%s: %s", t->name, report);
    } else {
        ck_assert_msg(code == 719, "%s: nothing was found", t->name);
        ck_assert_msg(strstr(report, t->words), "%s: %s", t->name, report);
        // The schedule determines which of the two accesses comes second.
        ck_assert_msg(!t->at || is_between(report, at, before) ||
                          (before && is_between(report, before, at)),
                      "%s: lines %u and %u: %s", t->name, at, before, report);
    }
    sim_program_free(program);
    harness_release(out);
    harness_release(in);
    free(ptx);
}

// ---- A whole kernel: two warpgroups multiply a ring of tensor copies with wgmma
//
// It stores tensors through shared memory. `with` replaces `what` everywhere.

static const struct {
    const char *name, *what, *with, *words;
} changes[] = {
    { "as it is", "", "", NULL },
    { "no barrier after the mbarriers are made", "INIT: bar.sync 0;", "INIT:", NO_BARRIER },
    { "the producer does not wait",
      "mbarrier.try_wait.parity.shared::cta.b64 %p3,[%r30+64],%r31;  @!%p3 bra PW;", "",
      "the copy writes it at line 44, and no wait for the mbarrier at 0x0 lies between" },
    { "the consumers do not wait",
      "mbarrier.try_wait.parity.shared::cta.b64 %p3,[%r31],%r11;  @!%p3 bra CW;", "",
      "the wgmma of the warpgroup from (256,0,0) reads it at line 76, and no wgmma.wait_group" },
    { "the consumers wait for another stage",
      "CW: mbarrier.try_wait.parity.shared::cta.b64 %p3,[%r31]",
      "CW: xor.b32 %r31,%r31,8; CW2: mbarrier.try_wait.parity.shared::cta.b64 %p3,[%r31]",
      NO("wait for the mbarrier at 0x0") },
    { "stages are given back a group too early", "wgmma.wait_group.sync.aligned 1;",
      "wgmma.wait_group.sync.aligned 2;", "reads it at line 76 and was waited for" NO_BARRIER },
    { "no wgmma.fence", "wgmma.fence.sync.aligned;", "", "no wgmma.fence before it" },
    { "no proxy fence", "fence.proxy.async.shared::cta;", "", NO("fence.proxy.async") },
    { "no barrier before a store", "bar.sync %r80,128;", "",
      "the bulk copy of thread (128,0,0) reads it" },
    { "buffers are filled again at once", "@!%p8 cp.async.bulk.wait_group.read 1;", "",
      NO("cp.async.bulk.wait_group.read") },
    { "buffers are filled again a store too early", "cp.async.bulk.wait_group.read 1;",
      "cp.async.bulk.wait_group.read 2;", NO("cp.async.bulk.wait_group.read") },
    { "the last stores are not waited for", "@!%p8 cp.async.bulk.wait_group 0;", "",
      "the block ends while the bulk copy of line" },
};

// Returns a changed text, which the caller frees. Line numbers do not change.
static char *changed(const char *text, const char *what, const char *with)
{
    size_t room = 2 * strlen(text) + 1, n = strlen(what), at = 0;
    char *out = malloc(room);

    ck_assert_ptr_nonnull(out);
    for (; *text; text += *text != 0) {
        if (n && strncmp(text, what, n) == 0) {
            at += (size_t)snprintf(out + at, room - at, "%s", with);
            text += n - 1;
        } else {
            out[at++] = *text;
        }
    }
    out[at] = '\0';
    return out;
}

static void encode(CUtensorMap *map, void *matrix, uint64_t rows, uint64_t cols, uint32_t box_rows)
{
    const uint64_t dims[] = { cols, rows }, strides[] = { cols * 2 };
    const uint32_t box[] = { 64, box_rows }, steps[] = { 1, 1 };
    ck_assert_int_eq(
        sim_encode_tiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, dims, strides, box,
                         steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        0);
}

TEST_ROWS(a_matrix_product_has_its_expected_finding_or_none, changes)
{
    enum { M = 200, N = 256, K = 392 };
    struct {
        CUtensorMap a, b, c;
        uint32_t m, n, k;
    } parameters = { .m = M, .n = N, .k = K };
    void *x = harness_memory(M * K * 2), *y = harness_memory(N * K * 2);
    void *z = harness_memory(M * N * 2);
    FILE *file = fopen(TEST_DATA "/gemm_nt.ptx", "rb");
    char *text = calloc(1 << 16, 1);

    ck_assert(file && text);
    ck_assert_uint_lt(fread(text, 1, (1 << 16) - 1, file), (1 << 16) - 1);
    fclose(file);
    char *ptx = changed(text, changes[_i].what, changes[_i].with);
    ck_assert(_i == 0 || strcmp(ptx, text) != 0);
    check_for("race,async,error");
    struct sim_program *program = harness_load(ptx);
    encode(&parameters.a, x, M, K, 128);
    encode(&parameters.b, y, N, K, 256);
    encode(&parameters.c, z, M, N, 64);
    int code = harness_run(program, &(struct harness_launch){ .grid = { 1 },
                                                              .block = { 384 },
                                                              .shared_bytes = 230400,
                                                              .parameters = &parameters });
    if (!changes[_i].words)
        ck_assert_msg(code == 0, "%s: %s", changes[_i].name, harness_report());
    else
        ck_assert_msg(code == 719 && strstr(harness_report(), changes[_i].words), "%s: %d %s",
                      changes[_i].name, code, harness_report());
    sim_program_free(program);
    harness_release(x);
    harness_release(y);
    harness_release(z);
    free(ptx);
    free(text);
}

int main(void)
{
    setenv("CUCORE_SIM_THREADS", "1", 1); // blocks run one after another, always in the same order
    return run_tests("race");
}
