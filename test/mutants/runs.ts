import type { Mutant } from './mutant.ts'

const decide = ['plugins/runs/decide.test.ts']
const worker = ['plugins/runs/worker.test.ts']
const invoke = ['launcher/invoke/invoke.test.ts']
const authority = ['launcher/invoke/authority.test.ts']

/** Defects in runs and the launcher: never twice, never stuck, never without authority. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a run that was begun begins again',
    file: 'plugins/runs/decide.ts',
    find: 'if (!mayBegin(run)) return []',
    replace: 'if (!mayBegin({ ...run, started: false })) return []',
    tests: decide,
    only: 'O6',
  },
  {
    name: 'a run that is not paused is resumed',
    file: 'plugins/runs/decide.ts',
    find: "  if (run.state !== 'paused') throw new Fail('run_not_paused')\n",
    replace: '',
    tests: decide,
    only: 'resume',
  },
  {
    name: 'an approval needs no decision',
    file: 'plugins/runs/decide.ts',
    find: "if (interrupt.reason === 'approval_required' && decision === null)",
    replace: "if (interrupt.reason === 'approval_required' && decision === 'reject' && run.segment < 0)",
    tests: decide,
    only: 'resume',
  },
  {
    name: 'a refused approval lets the run go on',
    file: 'plugins/runs/decide.ts',
    find: "  if (decision === 'reject') return [resolved, { fact: 'rejected', failReason: 'approval_denied' }]\n",
    replace: '',
    tests: decide,
    only: 'resume',
  },
  {
    name: 'an ended run can be cancelled',
    file: 'plugins/runs/decide.ts',
    find: "  if (terminalStates.has(run.state)) throw new Fail('run_terminal')\n",
    replace: '',
    tests: decide,
    only: 'cancel',
  },
  {
    name: 'a result is recorded twice',
    file: 'plugins/runs/decide.ts',
    find: "  if (run.state !== 'running' && run.state !== 'cancelling') return []\n",
    replace: '',
    tests: decide,
  },
  {
    name: 'a worker without the lease may write',
    file: 'plugins/runs/write.ts',
    find: 'if (author.epoch !== undefined && author.epoch !== locked.epoch) throw new LeaseLost(runId)',
    replace: 'if (author.epoch !== undefined && author.epoch > locked.epoch) throw new LeaseLost(runId)',
    tests: worker,
  },
  {
    name: 'a claim does not raise the epoch',
    file: 'plugins/runs/store/system.ts',
    find: 'set holder = ${holder}, epoch = epoch + 1,',
    replace: 'set holder = ${holder}, epoch = greatest(epoch, 1),',
    tests: worker,
  },
  {
    name: 'the beginning is not committed before the agent is invoked',
    file: 'plugins/runs/worker/drive.ts',
    find: 'if (!(await begin(services, claim, run))) return undefined',
    replace: 'void begin(services, claim, run).catch(() => undefined)',
    tests: worker,
  },
  {
    name: 'a run that is known is invoked again',
    file: 'launcher/invoke/registry.ts',
    find: '      if (known === undefined) return begin(start)\n      raiseEpoch(known, start.epoch)',
    replace: '      return begin(start)\n      raiseEpoch(known, start.epoch)',
    tests: invoke,
    only: 'O6',
  },
  {
    name: 'an acknowledged run is invoked again',
    file: 'launcher/invoke/registry.ts',
    find: "if (known.attempt === undefined) throw new Refusal('run_acknowledged')",
    replace: 'if (known.attempt === undefined) return begin(start)',
    tests: invoke,
    only: 'runs',
  },
  {
    name: 'a worker with a lower epoch is heard',
    file: 'launcher/invoke/registry.ts',
    find: "  if (epoch < known.epoch) throw new Refusal('stale_epoch')\n",
    replace: '',
    tests: authority,
  },
  {
    name: 'a grant for another run is accepted',
    file: 'launcher/invoke/authority.ts',
    find: 'if (claims.runId !== runId || claims.agentUid !== agentUid)',
    replace: 'if (claims.agentUid !== agentUid)',
    tests: authority,
  },
  {
    name: 'a grant for another agent is accepted',
    file: 'launcher/invoke/authority.ts',
    find: 'if (claims.runId !== runId || claims.agentUid !== agentUid)',
    replace: 'if (claims.runId !== runId)',
    tests: authority,
  },
  {
    name: 'an invoke needs no grant',
    file: 'launcher/invoke/authority.ts',
    find: '      checkTarget(grant, options.agentUid, runId)\n',
    replace: '',
    tests: authority,
  },
  {
    name: 'a page of another origin reaches the launcher',
    file: 'launcher/http/guard.ts',
    find: "  if (request.headers.origin !== undefined) throw new Refusal('origin_refused')\n",
    replace: '',
    tests: ['launcher/http/guard.test.ts'],
  },
  {
    name: 'a name that was rebound to loopback reaches the launcher',
    file: 'launcher/http/guard.ts',
    find: "if (!named) throw new Refusal('misdirected_request')",
    replace: "if (!named && host === '') throw new Refusal('misdirected_request')",
    tests: ['launcher/http/guard.test.ts'],
  },
  {
    name: 'results are kept for ever',
    file: 'launcher/invoke/registry.ts',
    find: '    known.expiry = setTimeout(() => forget(known, attempt.runId), keepMs).unref()',
    replace: '    known.expiry = setTimeout(() => undefined, keepMs).unref()',
    tests: ['launcher/invoke/registry.test.ts'],
  },
]
