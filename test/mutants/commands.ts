import type { Mutant } from './mutant.ts'

const keysTest = ['core/host/load/plugin-keys.test.ts']

/** Defects in the keys of roles and in the commands of plugins. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a plugin uses keys of its process that it does not declare',
    file: 'core/signing/role-keys.ts',
    find: '    if (!isHeld) throw refuse(name)\n',
    replace: "    if (!isHeld && name === '') throw refuse(name)\n",
    tests: keysTest,
    only: 'CON11: a key that a plugin does not declare',
  },
  {
    name: 'a plugin gets the keys of the other plugins of its role',
    file: 'core/host/load/role-container.ts',
    find: 'const keys = keyringFor(plugin, input.core.role, input.keys)',
    replace: 'const keys = keyringFor(plugin, input.core.role, input.keys) && input.keys',
    tests: keysTest,
    only: 'CON11: a key that a plugin does not declare',
  },
  {
    name: 'a role that verifies signs, in one process with the role that signs',
    file: 'core/signing/role-keys.ts',
    find: '      return found === undefined || own.has(name) ? found : withoutPrivate(found)\n',
    replace: '      return found && own.size >= 0 ? found : withoutPrivate(found as never)\n',
    tests: keysTest,
    only: 'CON11: a key that is verified',
  },
  {
    name: 'a ready plugin starts without a key that it declares',
    file: 'core/host/load/role-container.ts',
    find: "    if (wired.wiring !== 'unwired') refuseMissingKeys(plugin, input.core.role, input.keys)\n",
    replace: '',
    tests: keysTest,
    only: 'CON11: a missing key',
  },
  {
    name: 'a third party signs with a key of the platform',
    file: 'core/host/load/plugin-keys.ts',
    find: 'if (isThirdParty && !isOwn)',
    replace: "if (isThirdParty && !isOwn && use === 'seals')",
    tests: keysTest,
    only: 'CON11: names, roles and types',
  },
  {
    name: 'mesh keys removes the keys of a plugin that it does not load',
    file: 'core/host/commands/key-secrets.ts',
    find: '    return name !== undefined && !types.has(name)\n',
    replace: '    return name !== undefined && !types.has(name) && false\n',
    tests: ['core/host/commands/keys-command.test.ts'],
    only: 'PODA15: rotate publishes',
  },
  {
    name: 'a command of a third party takes a word of the platform',
    file: 'core/host/load/plugin-commands.ts',
    find: 'if (thirdParty.has(plugin) && coreWords.some((word) => word === first))',
    replace: 'if (thirdParty.has(plugin) && coreWords.every((word) => word === first))',
    tests: ['core/host/load/plugin-commands.test.ts'],
  },
  {
    name: 'a plugin that requires an absent store is wired',
    file: 'core/host/load/plugin-availability.ts',
    find: 'core[service] === undefined)',
    replace: 'core[service] === null)',
    tests: ['core/host/process/host.test.ts'],
    only: 'wiring: unwired',
  },
  {
    name: 'mesh env names the platform of a process that was killed',
    file: 'local/data-folder/running-platform.ts',
    find: "if (lockHolder(join(folder.root, 'lock')) === undefined)",
    replace: 'if (!existsSync(folder.root))',
    tests: ['local/terminal/print-env.test.ts'],
    only: 'R2-UX-4: access is read',
  },
  {
    name: 'a name of a folder runs as a command in the lines of mesh env',
    file: 'local/terminal/print-env.ts',
    find: "return `'${text.replaceAll(\"'\", `'\\\\''`)}'`",
    replace: 'return `"${text}"`',
    tests: ['local/terminal/print-env.test.ts'],
    only: 'R2-UX-4: the printed lines',
  },
]
