import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import type { Role } from '#core/config/profile.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import type { AnyPlugin, PluginKeys } from '#core/plugin/plugin.ts'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { readKeyFolder } from '#core/signing/key-folder.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { roleKeyFiles } from '#core/signing/role-keys.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { runForTest } from '../testing/run-command.ts'
import { createRoleContainer } from './role-container.ts'
import { declareKeys } from './plugin-keys.ts'

const withKeys = (name: string, keys: unknown, use: (core: Core) => unknown = () => undefined): AnyPlugin =>
  definePlugin({
    contract: 1,
    name,
    settings: Type.Object({}),
    keys: keys as PluginKeys,
    create: (core) => ({ used: use(core) }),
  })

/** The keyrings of a role in one process with every role, and in its own process with the files of its Secret. */
function keyringsOf(t: TestContext, role: Role, plugins: readonly AnyPlugin[]): readonly Keyring[] {
  const [all, own] = [tempFolder('keys-all'), tempFolder('keys-own')]
  t.after(all.remove)
  t.after(own.remove)
  const { types, byRole } = declareKeys(plugins, new Set())
  const shared = createKeyring({ dir: all.path, generate: types })
  const held = role === 'migrate' ? {} : (byRole.get(role) ?? {})
  for (const [file, text] of roleKeyFiles(readKeyFolder(all.path), held))
    writeFileSync(join(own.path, file), text, { mode: 0o600 })
  return [shared, createKeyring({ dir: own.path })]
}

const start = (role: Role, keys: Keyring, plugins: readonly AnyPlugin[]) =>
  createRoleContainer({
    core: { role } as Core,
    keys,
    ordered: plugins,
    slices: new Map(),
    wired: new Map(),
  })

test('CON11: a key that a plugin does not declare for its role fails the same in one process and in a cluster', async (t) => {
  const seal = (core: Core) => core.keys.current('kek').id
  const open = (core: Core) => core.keys.find('kek', 'x')
  const publish = (core: Core) => core.keys.jwks(['grant'])
  for (const use of [seal, open, publish])
    for (const keys of keyringsOf(t, 'worker', []))
      await assert.rejects(start('worker', keys, [withKeys('sealer', {}, use)]), {
        name: 'BootError',
        message:
          /^plugin sealer: create failed: the role worker has no key "(?:kek|grant)" of plugin sealer: declare it/,
      })
  const sealer = withKeys('sealer', { worker: { seals: ['kek'] } }, seal)
  for (const keys of keyringsOf(t, 'worker', [sealer])) await (await start('worker', keys, [sealer])).close()
  // Another plugin of the same role has no part in it.
  const other = withKeys('other', {}, seal)
  for (const keys of keyringsOf(t, 'worker', [sealer, other]))
    await assert.rejects(start('worker', keys, [sealer, other]), /plugin other: .*no key "kek" of plugin other/)
})

test('CON11: a key that is verified is public in one process too, and does not sign', async (t) => {
  let seen: unknown
  const reader = withKeys('reader', { worker: { signs: ['attempt'] }, state: { verifies: ['attempt'] } }, (core) => {
    const [jwk] = core.keys.jwks(['attempt']).keys
    seen = core.keys.find('attempt', jwk?.kid ?? '')?.key.type
    assert.throws(() => core.keys.current('attempt'), /the role state has no key "attempt"/)
  })
  for (const keys of keyringsOf(t, 'state', [reader])) {
    await (await start('state', keys, [reader])).close()
    assert.equal(seen, 'public')
  }
})

test('CON11: a missing key of a ready plugin ends the boot with plugin, key and role; an unwired plugin needs none', async (t) => {
  const signer = withKeys('signer', { worker: { signs: ['signer.hooks'] }, state: { verifies: ['signer.hooks'] } })
  for (const role of ['worker', 'state'] as const) {
    await assert.rejects(start(role, createKeyring({}), [signer]), {
      name: 'BootError',
      message: `plugin signer: the role ${role} has no key "signer.hooks": mesh keys init makes it, and MESH_KEYS_DIR names the folder`,
    })
    const input = { core: { role } as Core, keys: createKeyring({}), ordered: [signer], slices: new Map() }
    await createRoleContainer({ ...input, wired: new Map([['signer', { wiring: 'unwired' }]]) })
  }
  await assert.rejects(start('bff', createKeyring({}), []), /^BootError: core: the role bff has no key "cursor"/)
  const [keys] = keyringsOf(t, 'worker', [signer])
  await (await start('worker', keys ?? createKeyring(), [signer])).close()
})

test('CON11: names, roles and types of declared keys are checked, with both owners', () => {
  const acme = (keys: unknown) => declareKeys([withKeys('acme', keys)], new Set(['acme']))
  for (const [keys, message] of [
    [{ worker: { signs: ['grant'] } }, /^plugin acme: keys\.worker\.signs: "grant" must begin with acme\.$/],
    [{ worker: { seals: ['cursor'] } }, /"cursor" must begin with acme\./],
    [{ worker: { seals: ['acmes.x'] } }, /must begin with acme\./],
    [{ migrate: { signs: ['acme.x'] } }, /^plugin acme: keys\.migrate: must be one of bff, gateway/],
    [{ worker: { own: ['acme.x'] } }, /keys\.worker\.own: must be signs, seals or verifies/],
    [{ worker: { signs: 'acme.x' } }, /keys\.worker\.signs: must be a list/],
    [{ worker: { signs: ['acme.X'] } }, /must be lowercase letters/],
    [{ worker: { signs: ['acme.../../x'] } }, /must be lowercase letters/],
    [{ worker: { signs: ['acme.\0\ud800'] } }, /must be lowercase letters/],
    [{ worker: { signs: [{}] } }, /must be lowercase letters/],
    [{ state: { verifies: ['acme.x'] } }, /keys\.state\.verifies: no role signs with "acme\.x"/],
    [{ state: { verifies: ['kek'] } }, /no role signs with "kek"/],
  ] as const)
    assert.throws(() => acme(keys), { name: 'BootError', message }, JSON.stringify(keys))
  assert.throws(
    () => declareKeys([withKeys('a', { bff: { signs: ['x'] } }), withKeys('b', { bff: { seals: ['x'] } })], new Set()),
    /the key "x" is sealed with by one of plugin a and plugin b/,
  )
  const { byRole, types } = acme({ manager: { signs: ['acme.x'] }, worker: { seals: ['kek'], verifies: ['acme.x'] } })
  assert.deepEqual([...byRole.keys()], ['worker', 'bff', 'manager'], 'roles that verify are written first')
  assert.equal(types.get('acme.x'), 'ed25519')
})

test('CON11: mesh keys makes and rotates the key of a third party, with a name of its own', async (t) => {
  const folder = tempFolder('third-party-keys')
  t.after(folder.remove)
  const file = join(folder.path, 'mesh.yaml')
  writeFileSync(file, 'plugins: [./acme.mjs]\n')
  writeFileSync(
    join(folder.path, 'acme.mjs'),
    `import * as mesh from '@mesh.dev/mesh/plugin'
export default mesh.definePlugin({ contract: 1, name: 'acme-x', settings: mesh.Type.Object({}), create: () => ({}),
      keys: { worker: { signs: ['acme-x.web-hooks'] }, state: { verifies: ['acme-x.web-hooks'] } } })`,
  )
  const dir = join(folder.path, 'keys')
  const run = (words: string, ...args: string[]) =>
    runForTest(words, ['--dir', dir, ...args], { env: { MESH_CONFIG: file } })
  assert.match((await run('keys init')).out, /6 keys made/)
  const read = () => createKeyring({ dir })
  const first = read().current('acme-x.web-hooks')
  assert.equal(createPublicKey(first.key).asymmetricKeyType, 'ed25519')
  assert.match((await run('keys rotate', '--force')).out, /3 keys made, 0 removed/)
  assert.notEqual(read().current('acme-x.web-hooks').id, first.id)
  assert.ok(read().find('acme-x.web-hooks', first.id))
  // A command without the plugin's settings keeps its keys.
  const before = readdirSync(dir).filter((name) => name.startsWith('acme'))
  await runForTest('keys rotate', ['--dir', dir, '--force', '--revoke'])
  assert.deepEqual(
    readdirSync(dir).filter((name) => name.startsWith('acme')),
    before,
  )
})
