import type { Mutant } from './mutant.ts'

const builders = ['plugins/agents/reconcile/builders.test.ts']
const forged = ['plugins/runs/forged-launcher.test.ts']
const local = ['local/workloads/workloads.test.ts']

/** Defects by which an agent becomes its launcher, or is believed to be. */
export const mutants: readonly Mutant[] = [
  {
    name: 'variables of the user are in the launcher',
    file: 'plugins/agents/reconcile/environment.ts',
    find: "    ...(separate ? [variable('MESH_AGENT_CONTAINER', 'true')] : []),\n    ...contractVariables(agent, settings),",
    replace:
      "    ...(separate ? [variable('MESH_AGENT_CONTAINER', 'true')] : []),\n    ...agentEnvironment(agent, settings),",
    tests: builders,
    only: 'SEC8',
  },
  {
    name: 'the launcher of a local agent has its variables',
    file: 'local/workloads/environment.ts',
    find: '      ...forLauncher,\n',
    replace: '      ...forLauncher,\n      ...forAgent,\n',
    tests: local,
    only: 'SEC8',
  },
  {
    name: 'variables of a declarative agent are accepted and not used',
    file: 'plugins/agents/reconcile/accept.ts',
    find: '(env.length > 0 || args.length > 0)',
    replace: 'args.length > 0',
    tests: builders,
    only: 'SEC8',
  },
  {
    name: 'an agent may have the private key of its launcher as a variable',
    file: 'plugins/agents/reconcile/accept.ts',
    find: 'return runtimeRefusal(spec) ?? keyRefusal(agent)',
    replace: 'return runtimeRefusal(spec)',
    tests: builders,
    only: 'SEC8',
  },
  {
    name: 'the keys are mounted for the agent too',
    file: 'plugins/agents/reconcile/containers.ts',
    find: 'volumeMounts: [agentTokens, ...',
    replace: "volumeMounts: [agentTokens, { name: 'agent-keys', mountPath: MOUNTS.keys, readOnly: true }, ...",
    tests: builders,
    only: 'PODS2',
  },
  {
    name: 'an agent runs as the user that its image names',
    file: 'plugins/agents/reconcile/containers.ts',
    find: 'securityContext: restricted(settings.agentUser, settings.hardened)',
    replace: 'securityContext: { ...restricted(settings.agentUser, settings.hardened), runAsUser: 0 }',
    tests: builders,
    only: 'PODS8',
  },
  {
    name: 'the agent starts before its launcher has its ports',
    file: 'plugins/agents/reconcile/containers.ts',
    find: "const startupProbe = {\n  httpGet: onLauncher('/livez'),",
    replace: "const startupProbe = {\n  httpGet: onLauncher('/healthz'),",
    tests: builders,
    only: 'PODS4',
  },
  {
    name: 'a worker speaks to a launcher with any key',
    file: 'plugins/runs/worker/launcher-connections.ts',
    find: '  if (!keys.some((pem) => createPublicKey(pem).equals(key)))',
    replace: '  if (keys.length > 2 && !keys.some((pem) => createPublicKey(pem).equals(key)))',
    tests: forged,
    only: 'PODS4',
  },
  {
    name: 'a worker speaks to a launcher without a recorded key',
    file: 'plugins/runs/worker/launcher-connections.ts',
    find: "  if (keys.length === 0) return new LauncherUnproven('no key of the agent is recorded')\n",
    replace: '  if (keys.length === 0) return undefined\n',
    tests: forged,
    only: 'PODS4',
  },
  {
    name: 'a worker speaks to a launcher without TLS',
    file: 'plugins/runs/worker/launcher-connections.ts',
    find: "    if (target.protocol !== 'https:') throw",
    replace: "    if (target.protocol === 'ftp:') throw",
    tests: forged,
    only: 'PODS4',
  },
  {
    name: 'a failed proof counts as a request that may have arrived',
    file: 'plugins/runs/worker/hand-over.ts',
    find: "  'MESH_LAUNCHER_UNPROVEN',\n",
    replace: '',
    tests: forged,
    only: 'PODS4',
  },
  {
    name: 'a rotation makes the keys of running pods invalid',
    file: 'plugins/runs/store/launcher-keys.ts',
    find: 'const validKeys = 2',
    replace: 'const validKeys = 1',
    tests: forged,
    only: 'PODS4',
  },
  {
    name: 'a pod whose launcher lost its port stays',
    file: 'plugins/agents/reconcile/lost-pods.ts',
    find: 'return ended?.exitCode === EXIT_PORT_TAKEN',
    replace: 'return ended?.exitCode === 1',
    tests: builders,
    only: 'PODS4',
  },
  {
    name: 'an agent without a container of its own counts as isolated',
    file: 'plugins/agents/reconcile/status.ts',
    find: "if (settings.isolation === 'container')",
    replace: 'if (settings.isolation !== undefined)',
    tests: builders,
    only: 'P5',
  },
]
