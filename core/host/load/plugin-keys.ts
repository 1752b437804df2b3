import type { Role } from '#core/config/profile.ts'
import type { AnyPlugin, PluginKeys } from '#core/plugin/plugin.ts'
import { limitKeyring } from '#core/signing/role-keys.ts'
import type { Keyring, KeyName, KeyType, KeyTypes, RoleKeys } from '#core/signing/keyring.ts'
import { BootError } from './startup-error.ts'

/** Keys of core: cursors of lists and stored responses of idempotent requests, both of the BFF. */
export const coreKeys: PluginKeys = { bff: { seals: ['cursor', 'kek'] } }

/** Secrets of core that a third party may seal with. */
const shared: readonly KeyName[] = ['kek']

const keyRoles = ['bff', 'gateway', 'state', 'worker', 'manager'] as const

/** A role that may hold keys. */
export type KeyRole = (typeof keyRoles)[number]

/** The keys of an installation, as its plugins declare them. */
export interface DeclaredKeys {
  readonly types: KeyTypes
  /** Roles with keys. Those that verify come first: they receive a key before any role signs with it. */
  readonly byRole: ReadonlyMap<KeyRole, RoleKeys>
}

interface Owner {
  /** Undefined for core. */
  readonly plugin?: string
  readonly keys: PluginKeys
}

/**
 * Collects the keys that core and plugins declare. Throws `BootError` for a malformed name, or one that a third party may not hold. Also
 * throws for a key of two types, and for a verified key that no role signs with.
 */
export function declareKeys(plugins: readonly AnyPlugin[], thirdParty: ReadonlySet<string>): DeclaredKeys {
  const owners: readonly Owner[] = [
    { keys: coreKeys },
    ...plugins.map(({ name, keys = {} }) => ({ plugin: name, keys })),
  ]
  for (const owner of owners) checkOwner(owner, owner.plugin !== undefined && thirdParty.has(owner.plugin))
  const types = typesOf(owners)
  for (const { plugin, keys } of owners)
    for (const role of keyRoles)
      for (const name of keys[role]?.verifies ?? [])
        if (types.get(name) !== 'ed25519')
          throw new BootError(
            `${pluginTitle(plugin)}: keys.${role}.verifies: no role signs with ${JSON.stringify(name)}`,
          )
  const roles = keyRoles
    .map((role) => [role, merge(owners.map(({ keys }) => keys[role] ?? {}))] as const)
    .filter(([, { signs, seals, verifies }]) => signs.length + seals.length + verifies.length > 0)
  return { types, byRole: new Map(roles.toSorted(([, a], [, b]) => b.verifies.length - a.verifies.length)) }
}

/** The keyring of a plugin in a role, or of core without a plugin: the keys that it declares, and no others. */
export function keyringFor(plugin: AnyPlugin | undefined, role: Role, keys: Keyring): Keyring {
  return limitKeyring(keys, keysOf(plugin, role), (name) => {
    const text = `the role ${role} has no key ${JSON.stringify(name)} of ${pluginTitle(plugin?.name)}`
    return new Error(plugin === undefined ? text : `${text}: declare it in keys.${role}`)
  })
}

/** Throws `BootError` if the keyring has not every key that a plugin, or core without one, declares for the role. */
export function refuseMissingKeys(plugin: AnyPlugin | undefined, role: Role, keys: Keyring): void {
  const { signs = [], seals = [], verifies = [] } = keysOf(plugin, role)
  const missing =
    [...signs, ...seals].find((name) => !holds(keys, name)) ??
    verifies.find((name) => keys.jwks([name]).keys.length === 0)
  if (missing === undefined) return
  throw new BootError(
    `${pluginTitle(plugin?.name)}: the role ${role} has no key ${JSON.stringify(missing)}: mesh keys init makes it, and MESH_KEYS_DIR names the folder`,
  )
}

function holds(keys: Keyring, name: KeyName): boolean {
  try {
    keys.current(name)
    return true
  } catch {
    return false
  }
}

function keysOf(plugin: AnyPlugin | undefined, role: Role): RoleKeys {
  const declared = plugin === undefined ? coreKeys : (plugin.keys ?? {})
  return role === 'migrate' ? {} : (declared[role] ?? {})
}

// Untyped JavaScript may declare anything.
function checkOwner({ plugin, keys }: Owner, isThirdParty: boolean): void {
  const refuse = (why: string): never => {
    throw new BootError(`${pluginTitle(plugin)}: ${why}`)
  }
  for (const [role, held] of Object.entries<unknown>(keys)) {
    if (!keyRoles.some((one) => one === role))
      refuse(`keys.${role.slice(0, 60)}: must be one of ${keyRoles.join(', ')}`)
    for (const [use, names] of Object.entries(held as object) as [string, unknown][]) {
      const at = `keys.${role}.${use.slice(0, 60)}`
      if (use !== 'signs' && use !== 'seals' && use !== 'verifies') refuse(`${at}: must be signs, seals or verifies`)
      if (!Array.isArray(names)) refuse(`${at}: must be a list of names`)
      for (const name of names as readonly unknown[]) {
        const text = JSON.stringify(name)?.slice(0, 80)
        if (typeof name !== 'string' || name.length > 80 || !/^[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*$/.test(name))
          return refuse(`${at}: ${text} must be lowercase letters, digits, . and -`)
        const isOwn = name.startsWith(`${plugin}.`) || use === 'verifies' || (use === 'seals' && shared.includes(name))
        if (isThirdParty && !isOwn) refuse(`${at}: ${text} must begin with ${plugin}.`)
      }
    }
  }
}

function typesOf(owners: readonly Owner[]): KeyTypes {
  const found = new Map<KeyName, { readonly type: KeyType; readonly owner: string }>()
  for (const { plugin, keys } of owners)
    for (const { signs = [], seals = [] } of Object.values(keys))
      for (const [name, type] of [
        ...signs.map((one) => [one, 'ed25519'] as const),
        ...seals.map((one) => [one, 'secret'] as const),
      ]) {
        const known = found.get(name)
        if (known !== undefined && known.type !== type)
          throw new BootError(
            `the key ${JSON.stringify(name)} is sealed with by one of ${known.owner} and ${pluginTitle(plugin)}, and signed with by the other`,
          )
        found.set(name, { type, owner: pluginTitle(plugin) })
      }
  return new Map([...found].map(([name, { type }]) => [name, type]))
}

function merge(all: readonly RoleKeys[]): Required<RoleKeys> {
  const collect = (use: keyof RoleKeys): readonly KeyName[] => [...new Set(all.flatMap((keys) => keys[use] ?? []))]
  return { signs: collect('signs'), seals: collect('seals'), verifies: collect('verifies') }
}

function pluginTitle(plugin: string | undefined): string {
  return plugin === undefined ? 'core' : `plugin ${plugin}`
}
