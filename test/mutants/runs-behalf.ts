import type { Mutant } from './mutant.ts'

const prepared = ['plugins/runs/prepared/prepared-runs.test.ts']
const executor = ['plugins/runs/executor/executor.test.ts']

/** Defects in runs on behalf of others: forged, moved, late or repeated prepared runs, missing reviews, lost fencing. */
export const mutants: readonly Mutant[] = [
  {
    name: 'prepared runs: the content is not compared with what was signed',
    file: 'plugins/runs/prepared/seal.ts',
    find: ' || claims.content !== hashOf(content)',
    replace: '',
    tests: prepared,
    only: 'changed in any part',
  },
  {
    name: 'prepared runs: an expired one is accepted',
    file: 'plugins/runs/prepared/seal.ts',
    find: "const expected = { typ: 'mesh-prepared-run', now: () => now } as const",
    replace: "const expected = { typ: 'mesh-prepared-run', now: () => new Date(now.getTime() - 1e6) } as const",
    tests: prepared,
    only: 'expires',
  },
  {
    name: 'prepared runs: one is used twice',
    file: 'plugins/runs/store/internal/prepared.ts',
    find: 'return inserted !== undefined',
    replace: 'return inserted !== undefined || runId.length > 0',
    tests: prepared,
    only: 'queued once',
  },
  {
    name: 'prepared runs: the uid of the agent is not checked',
    file: 'plugins/runs/create/find-target.ts',
    find: 'if (await holdObject(db, agent?.uid ?? namespaceUid)) return',
    replace: 'if ((await holdObject(db, agent?.uid ?? namespaceUid)) || namespaceUid !== undefined) return',
    tests: prepared,
    only: 'replaced agent',
  },
  {
    name: 'prepared runs: a proof for another namespace or object is accepted',
    file: 'plugins/runs/create/permission.ts',
    find: "  if (namespace !== wanted.namespace || (name !== undefined && name !== wanted.name))\n    throw new Error('the proof is for another object or namespace')\n",
    replace: '',
    tests: prepared,
    only: 'demands the proof',
  },
  {
    name: 'prepared runs: a proof of another caller is accepted',
    file: 'plugins/runs/create/permission.ts',
    find: "  if (username !== caller.username) throw new Error('the proof is of another caller')\n",
    replace: '',
    tests: prepared,
    only: 'demands the proof',
  },
  {
    name: 'prepared runs: a ServiceAccount is not reviewed',
    file: 'plugins/runs/prepared/prepare.ts',
    find: 'if (!(await manager.subjectMay(subject, question)))',
    replace: 'if (!(await manager.subjectMay(subject, question)) && question.verb === undefined)',
    tests: prepared,
    only: 'ServiceAccount needs',
  },
  {
    name: 'prepared runs: a ServiceAccount of another namespace is accepted',
    file: 'plugins/runs/prepared/prepare.ts',
    find: 'if (account.namespace !== namespace)',
    replace: 'if (account.namespace.length > 63)',
    tests: prepared,
    only: 'ServiceAccount needs',
  },
  {
    name: 'prepared runs: the key of the manager signs for persons',
    file: 'plugins/runs/grants.ts',
    find: "return by === 'grant' || ",
    replace: "return by === 'grant' || subject !== '' || ",
    tests: prepared,
    only: 'service accounts only',
  },
  {
    name: 'prepared runs: a child has another subject than its parent',
    file: 'plugins/runs/prepared/queue.ts',
    find: "  if (parent.subject !== subject) throw refused('Its subject is not that of the parent run.')\n",
    replace: '',
    tests: prepared,
    only: 'subject and the trace',
  },
  {
    name: 'executors: a frozen one writes after its run was taken over',
    file: 'plugins/runs/executor/executor-run.ts',
    find: 'await writer.changeIn(tx, run.id, workerAuthor(claim, run), ',
    replace: "await writer.changeIn(tx, run.id, { actor: { name: 'x', kind: 'system' } }, ",
    tests: executor,
    only: 'frozen worker',
  },
  {
    name: 'executors: one that ignores its cancel keeps the run',
    file: 'plugins/runs/executor/execute-run-kind.ts',
    find: 'if (performance.now() - since >= cancelPatienceMs)',
    replace: 'if (performance.now() - since >= cancelPatienceMs * 1e6)',
    tests: executor,
    only: 'cancel reaches',
  },
]
