import type { Mutant } from './mutant.ts'

const plugin = ['plugins/memory/memory.test.ts']
const port = ['launcher/listeners/memory/memory.test.ts']

/** Defects of memory: of other agents and users, without bounds, or lost. */
export const mutants: readonly Mutant[] = [
  {
    name: 'memory: a conversation may have the name of long-term memory',
    file: 'launcher/listeners/memory/handlers.ts',
    find: "if (id === 'agent')",
    replace: "if (id === 'agents')",
    tests: port,
  },
  {
    name: 'memory: a conversation id is not checked',
    file: 'launcher/listeners/memory/handlers.ts',
    find: 'if (!isConversationId(id))',
    replace: 'if (id === undefined)',
    tests: port,
  },
  {
    name: 'memory: texts are not mended',
    file: 'launcher/listeners/memory/handlers.ts',
    find: 'entry: toStorableValue(await call.body())',
    replace: 'entry: await call.body()',
    tests: port,
  },
  {
    name: 'memory: a part that is not bound is asked for',
    file: 'launcher/memory/backend.ts',
    find: 'isObject(memory) && memory[part] === true',
    replace: 'isObject(memory)',
    tests: port,
  },
  {
    name: 'memory: calls of one launcher have no bound',
    file: 'launcher/memory/backend.ts',
    find: 'if (running >= MOST_CALLS)',
    replace: 'if (running > 2 * MOST_CALLS)',
    tests: port,
  },
  {
    name: 'memory: an outage of the state role is the fault of the agent',
    file: 'launcher/memory/backend.ts',
    find: 'if (!ofRequest.has(status))',
    replace: 'if (status >= 500)',
    tests: port,
  },
  {
    name: 'memory: the loop offers tools that are not listed instead of bound ones',
    file: 'launcher/agent/loop.ts',
    find: 'always === true || listed(definition)',
    replace: 'always !== true || listed(definition)',
    tests: ['launcher/agent/loop.test.ts'],
    only: 'the loop remembers',
  },
  {
    name: 'memory: the state role trusts the launcher about session memory',
    file: 'plugins/memory/pod-memory.ts',
    find: "if (session === undefined) throw new Fail(memoryErrors.not_bound, 'spec.memory.session of the agent is absent.')\n  return { uid, session }",
    replace: 'return { uid, session: session ?? {} }',
    tests: plugin,
  },
  {
    name: 'memory: a run of another agent names the user',
    file: 'plugins/memory/pod-memory.ts',
    find: 'if (runId !== undefined && run?.agentUid !== uid)',
    replace: 'if (runId !== undefined && run === undefined)',
    tests: plugin,
  },
  {
    name: 'memory: an infinite number is stored',
    file: 'plugins/memory/session/entry.ts',
    find: 'return Number.isFinite(value) ? undefined : pointer',
    replace: 'return undefined',
    tests: plugin,
  },
  {
    name: 'memory: items of one user are shown to another',
    file: 'plugins/memory/store/item-memory.ts',
    find: '(subject is null or subject = ${subject})',
    replace: '(subject is null or ${subject}::text is not null)',
    tests: plugin,
  },
  {
    name: 'memory: expired items are shown',
    file: 'plugins/memory/store/item-memory.ts',
    find: ' and expires_at > clock_timestamp()`',
    replace: '`',
    tests: plugin,
  },
  {
    name: 'memory: the quota of items has no effect',
    file: 'plugins/memory/store/usage.ts',
    find: 'used.items > quota.items',
    replace: 'used.items > 2 * quota.items',
    tests: plugin,
  },
  {
    name: 'memory: removed items stay counted',
    file: 'plugins/memory/store/remove-items.ts',
    find: 'returning agent_uid, namespace, bytes`.execute(db)\n    await removeUsage(db, rows)',
    replace: 'returning agent_uid, namespace, bytes`.execute(db)',
    tests: plugin,
  },
  {
    name: 'memory: an agent names a route of another namespace',
    file: 'plugins/memory/items/embed-text.ts',
    find: 'found === undefined || !mayRefer(own, namespace, found.spec.allowedNamespaces)',
    replace: 'found === undefined',
    tests: ['plugins/memory/items/embed-text.test.ts'],
  },
]
