import type { Mutant } from './mutant.ts'

const roles = ['test/plugins-off/roles.test.ts']

/** Defects of installations with plugins off (ADR 0169). */
export const mutants: readonly Mutant[] = [
  {
    name: 'plugins off: an unwired reader ends the start',
    file: 'core/host/role/create-system-reads.ts',
    find: '      if (isUnwired) return absentApi(name, found?.wired.because) as never\n',
    replace: '',
    tests: roles,
    only: 'R2-C2',
  },
  {
    name: 'plugins off: health is not served by core',
    file: 'core/host/role/role-server.ts',
    find: "  if (role === 'bff') await mountRoutes(app, coreEndpoints, { ...coreOwner, prefix: '/api' })\n",
    replace: '',
    tests: roles,
    only: 'health is served',
  },
  {
    name: 'plugins off: namespaces are not followed by core',
    file: 'core/host/role/declare-work.ts',
    find: '[...coreInformers, ...ofPlugins]',
    replace: '[...ofPlugins]',
    tests: ['core/host/role/system-reads.test.ts'],
    only: 'R2-C2',
  },
  {
    name: 'plugins off: hardened starts with a plugin of its own disabled',
    file: 'core/config/settings.ts',
    find: 'if (required.includes(name))',
    replace: 'if (required.length === 0)',
    tests: roles,
    only: 'hardened starts with none',
  },
  {
    name: 'plugins off: hardened starts with a plugin of its own unwired',
    file: 'core/host/load/plugin-availability.ts',
    find: "if (found.wiring === 'unwired') refuseUnderProfile",
    replace: "if (found.wiring === 'hidden') refuseUnderProfile",
    tests: roles,
    only: 'hardened starts with none',
  },
  {
    name: 'plugins off: an agent is rolled out without the plugin of a field',
    file: 'plugins/agents/reconcile/judge-agent.ts',
    find: 'validateSpec(agent, settings) ?? refuseUnenforced(agent, unenforced)',
    replace: 'validateSpec(agent, settings)',
    tests: ['plugins/agents/reconcile/parts/parts.test.ts'],
    only: 'R2-C1',
  },
  {
    name: 'plugins off: the launcher calls models without its guardrails',
    file: 'launcher/contract/state/plugin-disabled.ts',
    find: "status === 501 && code === 'not_wired'",
    replace: "status === 501 && code === 'off'",
    tests: ['plugins/guardrails/launcher/guard-source.test.ts'],
    only: 'R2-C1',
  },
]
