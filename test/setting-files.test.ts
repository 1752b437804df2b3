import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after } from 'node:test'
import type { TestContext } from 'node:test'
import { coreSettingSources } from '#core/config/setting-source.ts'
import { coreSettingsSchema } from '#core/config/core-settings.ts'
import { fileSettingsOf } from '#core/config/file-setting.ts'
import type { FileKind, NamedFile } from '#core/config/file-setting.ts'
import { loadCertificate } from '@mesh.dev/embedded-apiserver/certificate'
import type { Role } from '#core/config/profile.ts'
import { composeHost } from '#core/host/process/compose-process.ts'
import { tlsServerFactory } from '#core/http/tls.ts'
import { plugins } from '#plugins/index.ts'
import { freePort } from './harness/free-port.ts'
import { mainProgram } from './harness/program.ts'
import { tempFolder } from './harness/temp-folder.ts'

const served = tempFolder('setting-files')
after(served.remove)
const { certificate, key } = loadCertificate(join(served.path, 'serving.json'), new Date())
writeFileSync(join(served.path, 'tls.crt'), certificate)
writeFileSync(join(served.path, 'tls.key'), key)

interface Setting extends NamedFile {
  /** As it is in the settings file. */
  readonly name: string
  readonly variable: string
  readonly role: Role
}

const schemas = [
  { at: [], schema: coreSettingsSchema as unknown, sources: coreSettingSources },
  ...plugins.map(({ name, settings, settingsFrom = [] }) => ({ at: [name], schema: settings, sources: settingsFrom })),
]

const settings: readonly Setting[] = schemas.flatMap(({ at, schema, sources }) =>
  fileSettingsOf(schema).map((named) => ({
    ...named,
    name: [...at, ...named.path].join('.'),
    variable: sources.find(({ to }) => to === named.path.join('.'))?.from ?? '',
    role: named.mark.roles?.[0] ?? 'gateway',
  })),
)

const usable = {
  MESH_MANAGER_TLS_CERT_FILE: join(served.path, 'tls.crt'),
  MESH_MANAGER_TLS_KEY_FILE: join(served.path, 'tls.key'),
}
const canary = 'c4n4ry-secret'
const remedies: Readonly<Record<FileKind, RegExp>> = {
  token: /; name a file with a bearer token on one line$/,
  certificates: /; name a file with PEM certificates$/,
  'private-key': /; name a file with a PEM private key without a passphrase$/,
  kubeconfig: /; name a kubeconfig that kubectl can use$/,
  keys: /; name a folder of keys, as created by `mesh keys init --dir FOLDER`$/,
  'written-folder': /; name a folder that this process can write to$/,
}

test('every setting that names a file is marked, so that a process checks it before it starts', () => {
  const named = schemas.flatMap(({ at, schema }) => leavesOf(schema).map((path) => [...at, ...path].join('.')))
  const files = named.filter((name) => /(?:File|Dir|Folder|Path|kubeconfig)$/.test(name))
  assert.deepEqual(files.toSorted(), settings.map(({ name }) => name).toSorted())
  assert.ok(files.length >= 9, files.join())
  for (const { name, variable } of settings) assert.match(variable, /^[A-Z_]+$/, `${name} has an environment variable`)
})

test('a file that cannot be used ends the start: setting, variable, path, problem and remedy', async (t) => {
  for (const setting of settings) {
    const { holds } = setting.mark
    for (const [what, make, problem] of faults[holds]) {
      const path = make(t)
      const message = await refusal(setting, path)
      const about = `${setting.name}, ${what}: ${message}`
      assert.ok(message.startsWith(`${setting.variable} (${setting.name}): ${shown(path)}: `), about)
      assert.match(message, problem, about)
      assert.match(message, remedies[holds], about)
      // Without the path: a random folder may be named like an error code.
      assert.doesNotMatch(message.replace(shown(path), ''), new RegExp(`${canary}|\n|\\bE[A-Z_]{4,}|error:`), about)
    }
  }
})

test('a setting of the settings file is named with its place', async (t) => {
  const folder = folderOf(t)
  const path = join(folder, 'mesh.yaml')
  writeFileSync(path, 'logLevel: info\nkubeconfig: /nowhere/config\n')
  const started = composeHost({ roles: ['gateway'], plugins: [], env: {}, version: '0.0.0', file: path })
  await assert.rejects(started, {
    name: 'SettingsError',
    message: `${path}:2:1: kubeconfig (KUBECONFIG): /nowhere/config: there is no such file; name a kubeconfig that kubectl can use`,
  })
})

test('a certificate and a key that do not belong together end the start', (t) => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const keyFile = file(t, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const certFile = usable.MESH_MANAGER_TLS_CERT_FILE
  assert.throws(() => tlsServerFactory({ certFile, keyFile }), {
    name: 'SettingsError',
    message: `listen.managerTls: the key in ${keyFile} does not belong to the certificate in ${certFile}`,
  })
  assert.ok(tlsServerFactory({ certFile, keyFile: usable.MESH_MANAGER_TLS_KEY_FILE }))
})

test('a role does not check the files of settings that it does not use', async (t) => {
  const env = {
    MESH_CLUSTER_SERVER: `http://127.0.0.1:${await freePort()}`,
    MESH_CLUSTER_TOKEN_FILE: '/nowhere/token',
    KUBECONFIG: '/nowhere/config',
    MESH_MANAGER_TLS_CERT_FILE: '/nowhere/cert',
    MESH_MANAGER_TLS_KEY_FILE: '/nowhere/key',
    AUDIT_WEBHOOK_TOKEN_FILE: '/nowhere/token',
  }
  const composed = await composeHost({ roles: ['bff'], plugins, env, version: '0.0.0' })
  t.after(() => composed.close())
})

test('a process that cannot use a file logs one line without a stack and exits with 1', () => {
  for (const setting of settings) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [mainProgram, setting.role], {
      cwd: new URL('..', import.meta.url),
      env: { PATH: process.env['PATH'], ...environment(setting, '/proc/self/nowhere/file') },
      encoding: 'utf8',
      timeout: 60_000,
    })
    const lines = `${stdout}${stderr}`.trim().split('\n')
    assert.equal(status, 1, `${setting.name}: ${lines.join('\n')}`)
    assert.equal(lines.length, 1, lines.join('\n'))
    assert.match(
      lines[0] ?? '',
      new RegExp(`${setting.variable} .*(?:there is no such file|part of its path); name a `),
    )
    assert.doesNotMatch(lines[0] ?? '', /ENOENT|"stack"|\bat /)
  }
})

type Fault = readonly [what: string, make: (t: TestContext) => string, problem: RegExp]

const missing: Fault = ['missing', (t) => join(folderOf(t), 'absent'), /: there is no such file;/]
const loop: Fault = ['a loop of links', (t) => made(t, (path) => symlinkSync(path, path)), /: its symbolic links form/]
const nul: Fault = ['NUL in the path', () => '/x\0y', /: its path has an invalid character;/]
const folder: Fault = ['a folder', (t) => folderOf(t), /: it is a folder;/]
const device: Fault = ['a device', () => '/dev/zero', /: it is not a regular file;/]
const empty: Fault = ['empty', (t) => file(t, '\n'), /: it is empty;/]
const large: Fault = ['too large', (t) => file(t, canary.repeat(100_000)), /: it is larger than 1 MiB;/]
const ofFiles = [missing, loop, nul, folder, device, empty, large]
const ofFolders: readonly Fault[] = [
  loop,
  nul,
  ['a file', (t) => file(t, canary), /: (?:a part of its path|it) is a file, not a folder;/],
]
const kubeconfig = (text: string, problem: RegExp): Fault => [text, (t) => file(t, text), problem]
const context = 'current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n'
const cluster = 'clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]\n'

const faults: Readonly<Record<FileKind, readonly Fault[]>> = {
  token: [...ofFiles, ['two words', (t) => file(t, `${canary} x`), /: it contains no bearer token;/]],
  certificates: [
    ...ofFiles,
    ['no PEM', (t) => file(t, canary), /: it contains no PEM certificate;/],
    [
      'damaged',
      (t) => file(t, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      /: certificate 1 in it is damaged;/,
    ],
  ],
  'private-key': [
    ...ofFiles,
    ['no PEM', (t) => file(t, canary), /: it contains no PEM private key;/],
    ['encrypted', (t) => file(t, encryptedKey()), /: its key is encrypted;/],
  ],
  kubeconfig: [
    ...ofFiles,
    kubeconfig(`users: [{${canary}`, /: line 1, column \d+ is not valid YAML;/),
    kubeconfig(canary, /: it is not a YAML mapping;/),
    kubeconfig('apiVersion: v1', /: it has no current-context \(kubectl config use-context NAME sets one\);/),
    kubeconfig('current-context: b', /: its current-context "b" is not one of its contexts;/),
    kubeconfig(context, /: the cluster of its context "a" is missing;/),
    kubeconfig(`${context}${cluster}`, /: the user of its context "a" is missing;/),
    kubeconfig(
      `${context}clusters: [{name: c, cluster: {server: ${canary}}}]`,
      /: the user of its context|not an http or/,
    ),
    kubeconfig(
      `${context}users: [{name: u, user: {}}]\nclusters: [{name: c, cluster: {server: "https://h", certificate-authority-data: c2VjcmV0}}]`,
      /: its certificate-authority-data: it contains no PEM certificate;/,
    ),
    kubeconfig(
      `${context}${cluster}users: [{name: u, user: {client-certificate: absent.pem}}]`,
      /: its client-certificate \/.*absent\.pem: there is no such file;/,
    ),
    kubeconfig(
      `${context}${cluster}users: [{name: u, user: {client-key-data: c2VjcmV0}}]`,
      /: its client-key-data: it contains no PEM private key;/,
    ),
  ],
  keys: [
    missing,
    ...ofFolders,
    ['a damaged key', (t) => keyFolder(t, 0o600), /: \/.*grant-1\.key: not an Ed25519 key in PEM/],
    ['a readable key', (t) => keyFolder(t, 0o644), /: \/.*grant-1\.key: a key must not be accessible to others/],
  ],
  'written-folder': [...ofFolders, ['not writable', () => '/proc/mesh', /: there is no such file|: permission denied/]],
}

async function refusal(setting: Setting, path: string): Promise<string> {
  const { role } = setting
  const env = environment(setting, path)
  const composed = composeHost({ roles: [role], plugins, env, version: '0.0.0' })
  const error: unknown = await composed.then(
    async ({ close }) => close().then(() => assert.fail(`${setting.name}: started with ${path}`)),
    (failure: unknown) => failure,
  )
  assert.ok(error instanceof Error && error.name === 'SettingsError', `${setting.name}: ${String(error)}`)
  return error.message
}

// A group of settings is complete or absent: the others of the group have a usable file.
function environment({ name, variable }: Setting, path: string): Record<string, string> {
  const isKubeconfig = name === 'kubeconfig'
  return {
    ...(isKubeconfig ? {} : { MESH_CLUSTER_SERVER: 'http://127.0.0.1:9' }),
    ...(name.startsWith('listen.managerTls') ? usable : {}),
    [variable]: path,
  }
}

function leavesOf(schema: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  const { properties } = schema as { properties?: Readonly<Record<string, unknown>> }
  if (properties === undefined) return [path]
  return Object.entries(properties).flatMap(([name, child]) => leavesOf(child, [...path, name]))
}

function folderOf(t: TestContext): string {
  const temporary = tempFolder('setting-files')
  t.after(temporary.remove)
  return temporary.path
}

function made(t: TestContext, make: (path: string) => void): string {
  const path = join(folderOf(t), 'made')
  make(path)
  return path
}

function file(t: TestContext, text: string): string {
  return made(t, (path) => writeFileSync(path, text, { mode: 0o600 }))
}

function keyFolder(t: TestContext, mode: number): string {
  return made(t, (path) => {
    mkdirSync(path)
    writeFileSync(join(path, 'grant-1.key'), `-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----\n`)
    chmodSync(join(path, 'grant-1.key'), mode)
  })
}

function encryptedKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: canary })
}

function shown(path: string): string {
  return path.includes('\0') ? JSON.stringify(path) : path
}
