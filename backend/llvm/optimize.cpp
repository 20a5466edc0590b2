// SPDX-License-Identifier: Apache-2.0
// The optimisation pipeline for loop nests. LLVM's own O3 is made for whole programs, and in one point wrong
// for us: it unrolls short inner loops fully before it vectorises, and then vectorises the loop outside of
// them, with gathers. Here loops are vectorised as they were scheduled, innermost first, and unrolled after
// that. Leaving out what loop nests do not need (most of the interprocedural half) makes it several times
// faster, too.
#include "backend/llvm/optimize.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/DivRemPairs.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopIdiomRecognize.h>
#include <llvm/Transforms/Scalar/LoopLoadElimination.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

namespace mlc::llvm_backend {
namespace {

// Straight code into vectors. LLVM 19 computes the operand of an unsigned conversion to float in as few bits
// as it was extended from, and forgets that the extension was signed: float(uint64(-1) | 1) was 2^32.
// Functions with such conversions are left as they are; what comes from memory or is extended without sign
// has no such operand.
class VectorizeStraightCode : public llvm::PassInfoMixin<VectorizeStraightCode> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    for (const llvm::BasicBlock& block : function)
      for (const llvm::Instruction& one : block)
        if (may_lose_sign(one)) return llvm::PreservedAnalyses::all();
    return slp_.run(function, analyses);
  }

 private:
  static bool may_lose_sign(const llvm::Instruction& one) {
    if (!llvm::isa<llvm::UIToFPInst>(one)) return false;
    const llvm::Value* operand = one.getOperand(0);
    return llvm::isa<llvm::Instruction>(operand) && !llvm::isa<llvm::LoadInst, llvm::ZExtInst>(operand) &&
           operand->getType()->getScalarSizeInBits() > 8;
  }
  llvm::SLPVectorizerPass slp_;
};

// Scalars and loops into the form that the vectoriser reads best: invariants outside, conditions that do not
// change outside the loop, induction variables wide.
void add_canonicalization(llvm::FunctionPassManager& passes, int level) {
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  loops.addPass(llvm::SimpleLoopUnswitchPass(level == 3));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager inductions;
  inductions.addPass(llvm::LoopIdiomRecognizePass());
  inductions.addPass(llvm::IndVarSimplifyPass());
  inductions.addPass(llvm::LoopDeletionPass());
  // Only loops that the program marks for unrolling.
  inductions.addPass(llvm::LoopFullUnrollPass(level, true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(inductions), false));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
}

// Does the loop read with a stride that wraps at a power of two? Of `A[i * 3 % 16]` LLVM 19 makes a group of
// accesses 3 apart, on condition that a number of four bits does not wrap, and the check of that condition
// misses loops of 15 and 16 iterations: they read what stands behind the buffer.
bool has_wrapping_stride(llvm::Loop& loop, llvm::ArrayRef<llvm::Instruction*> accesses,
                         llvm::ScalarEvolution& evolution) {
  return llvm::any_of(accesses, [&](llvm::Instruction* access) {
    const llvm::SCEV* address = evolution.getSCEV(llvm::getLoadStorePointerOperand(access));
    return llvm::SCEVExprContains(address, [&](const llvm::SCEV* part) {
      const auto* wider = llvm::dyn_cast<llvm::SCEVIntegralCastExpr>(part);
      const auto* narrow =
          wider == nullptr ? nullptr : llvm::dyn_cast<llvm::SCEVAddRecExpr>(wider->getOperand());
      return narrow != nullptr && narrow->getLoop() == &loop && narrow->getType()->getIntegerBitWidth() < 32;
    });
  });
}

// Is it a short loop whose accesses are all strided, as in the tiles of a split and reordered vector? Full
// unrolling brings its statements side by side, and they are vectors of neighbours again, where vectors of
// this loop would be gathered and scattered.
bool is_strided_tile(llvm::Loop& loop, llvm::ArrayRef<llvm::Instruction*> accesses,
                     llvm::ScalarEvolution& evolution) {
  constexpr unsigned kSteps = 8;
  unsigned steps = evolution.getSmallConstantTripCount(&loop);
  if (steps == 0 || steps > kSteps) return false;
  bool found = false;
  for (llvm::Instruction* access : accesses) {
    const llvm::SCEV* address = evolution.getSCEV(llvm::getLoadStorePointerOperand(access));
    if (evolution.isLoopInvariant(address, &loop)) continue;
    const auto* walked = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
    const auto* step = walked == nullptr
                           ? nullptr
                           : llvm::dyn_cast<llvm::SCEVConstant>(walked->getStepRecurrence(evolution));
    uint64_t size = access->getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(access));
    if (step == nullptr || step->getAPInt().abs().getZExtValue() <= size) return false;
    found = true;
  }
  return found;
}

// The loops that must not, or should not, be vectorised.
struct KeepLoopsScalar : llvm::PassInfoMixin<KeepLoopsScalar> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      if (!loop->isInnermost()) continue;
      llvm::SmallVector<llvm::Instruction*> accesses;
      for (llvm::BasicBlock* block : loop->blocks())
        for (llvm::Instruction& instruction : *block)
          if (llvm::getLoadStorePointerOperand(&instruction) != nullptr) accesses.push_back(&instruction);
      if (has_wrapping_stride(*loop, accesses, evolution) || is_strided_tile(*loop, accesses, evolution))
        llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.width", 1);
    }
    return llvm::PreservedAnalyses::all();
  }
};

void add_vectorization(llvm::FunctionPassManager& passes, int level) {
  if (level >= 2) {
    passes.addPass(KeepLoopsScalar());
    // What was found out about narrow inductions would stay: strided accesses would not be seen to be that.
    passes.addPass(llvm::InvalidateAnalysisPass<llvm::ScalarEvolutionAnalysis>());
    passes.addPass(llvm::LoopVectorizePass());
    passes.addPass(llvm::LoopLoadEliminationPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
  }
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(level)));
  // Steps that were unrolled become one block: InstCombine would sink each sum of theirs to where the last
  // one is stored, and sums that took turns would come one after the other, with more registers than there
  // are.
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  if (level >= 2) {
    passes.addPass(VectorizeStraightCode());
    passes.addPass(llvm::VectorCombinePass());
  }
}

void add_cleanup(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::GVNPass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), true));
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::DivRemPairsPass());
  passes.addPass(llvm::SimplifyCFGPass());
}

// A condition as an integer of 16 bits whose bits are a float16: LLVM 19 has no instruction for that where
// conditions lie in mask registers and float16 is native. A choice of two numbers it has.
void choose_reinterpreted_conditions(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& one : llvm::make_early_inc_range(block)) {
      auto* reinterpreted = llvm::dyn_cast<llvm::BitCastInst>(&one);
      if (reinterpreted == nullptr || !reinterpreted->getType()->isHalfTy()) continue;
      auto* extended = llvm::dyn_cast<llvm::CastInst>(reinterpreted->getOperand(0));
      if (extended == nullptr || !extended->getSrcTy()->isIntegerTy(1)) continue;
      uint64_t bits = llvm::isa<llvm::SExtInst>(extended) ? 0xffff : 1;
      auto number = [&](uint64_t of) {
        return llvm::ConstantFP::get(function.getContext(),
                                     llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, of)));
      };
      auto* chosen =
          llvm::SelectInst::Create(extended->getOperand(0), number(bits), number(0), "", reinterpreted);
      reinterpreted->replaceAllUsesWith(chosen);
      reinterpreted->eraseFromParent();
    }
  }
}

}  // namespace

void optimize(llvm::Module& module, const Machine& machine, const std::function<void()>& heed,
              const std::function<bool()>& asked) {
  if (machine.opt_level == 0) {
    for (llvm::Function& function : module) choose_reinterpreted_conditions(function);
    return;
  }
  llvm::PipelineTuningOptions tuning;
  llvm::PassInstrumentationCallbacks between;  // Ctrl-C skips the passes that are left
  between.registerShouldRunOptionalPassCallback([&](llvm::StringRef, llvm::Any) { return !asked(); });
  llvm::PassBuilder builder(machine.machine.get(), tuning, std::nullopt, &between);
  llvm::LoopAnalysisManager loop_analyses;
  llvm::FunctionAnalysisManager function_analyses;
  llvm::CGSCCAnalysisManager component_analyses;
  llvm::ModuleAnalysisManager module_analyses;
  builder.registerModuleAnalyses(module_analyses);
  builder.registerCGSCCAnalyses(component_analyses);
  builder.registerFunctionAnalyses(function_analyses);
  builder.registerLoopAnalyses(loop_analyses);
  builder.crossRegisterProxies(loop_analyses, function_analyses, component_analyses, module_analyses);

  llvm::FunctionPassManager kernels;
  add_canonicalization(kernels, machine.opt_level);
  add_vectorization(kernels, machine.opt_level);
  add_cleanup(kernels);
  llvm::FunctionPassManager entries;  // straight code that runs once per call
  entries.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  entries.addPass(llvm::EarlyCSEPass());
  entries.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    (function.hasLocalLinkage() && !function.hasFnAttribute(llvm::Attribute::Cold) ? kernels : entries)
        .run(function, function_analyses);
    choose_reinterpreted_conditions(function);
    heed();
  }
}

}  // namespace mlc::llvm_backend
