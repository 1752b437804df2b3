import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { declareKeys } from '#core/host/load/plugin-keys.ts'
import { bootstrap, createDemo } from '#local/cluster/bootstrap.ts'
import { shipped } from '#local/cluster/local-cluster.ts'
import { plugins } from '#plugins/index.ts'
import { personas } from '#local/data-folder/personas.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import { launcherCommand, startWorkloads } from '#local/workloads/start-workloads.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { freePort } from '#test/harness/free-port.ts'
import { startKube } from '#test/harness/kube.ts'
import type { KubeServer } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { startNats } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import { launcherCache, launcherProgram } from '#test/harness/program.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { createUpstreamLog, MACHINE } from './audit-log.ts'
import { createCandidateNetwork } from './candidate-network.ts'
import { serveKubelet } from './kubelet.ts'
import { bindNamespaces } from './namespaced-rights.ts'
import { migrate, serving, startRoles } from './roles.ts'
import type { Installation } from './roles.ts'
import type { Platform, PlatformOptions } from './running-platform.ts'
import { createSend } from './send.ts'

const kinds = kindsOf(plugins)

const crds = fileURLToPath(import.meta.resolve('../../../deploy/crds/'))

const machine = { name: MACHINE, token: `test-token-${MACHINE}`, user: MACHINE, groups: ['system:masters'] }

/** One process per role on kube-apiserver, PostgreSQL and NATS. Agents run as a client of that API server. */
export async function startOnCluster(
  t: Scope,
  { env = {}, namespaces, postgres: database, candidates = false }: PlatformOptions = {},
): Promise<Platform> {
  // Each of the ten processes ends with this one by its own listener.
  process.setMaxListeners(40)
  const [cluster, postgres, nats] = await Promise.all([
    startKube(t, { personas: [machine] }),
    startPostgres(t, database),
    startNats(t),
  ])
  const folder = tempFolder('platform')
  t.after(folder.remove)
  const pool = createPool(cluster.url, { ca: cluster.ca })
  t.after(() => pool.close())
  const kube = createSend(t, cluster.url, cluster.ca)
  const bearer = cluster.tokens['admin'] ?? ''
  const admin = createKubeClient({ server: cluster.url, pool, bearer })
  await installCrds(cluster, bearer)
  await bootstrap(admin, { ...shipped, plugins })
  if (namespaces !== undefined) await bindNamespaces(cluster, bearer, namespaces)
  const node = createKubeClient({ server: cluster.url, pool, bearer: machine.token })
  const network = candidates ? createCandidateNetwork(t, node) : undefined
  const workloads = await startWorkloads({
    cluster: network?.cluster ?? node,
    dataDir: folder.path,
    launcher: launcherCommand(launcherProgram, launcherCache),
    log: createLogger({ level: 'error' }),
  })
  t.after(() => workloads.close())
  network?.connect(workloads)
  await serveKubelet(t, { workloads, cluster: node, kube, bearer, folder: folder.path })
  const installation: Installation = {
    t,
    folder: folder.path,
    kube,
    bearer,
    endpointsUrl: workloads.endpointsUrl,
    withIdentity: ['manager', 'gateway', 'state', ...(candidates ? (['worker'] as const) : [])],
    env: {
      ...(await environment(folder.path, cluster, { DATABASE_URL: postgres.url, NATS_URL: nats.url })),
      ...(namespaces === undefined ? {} : { MESH_CLUSTER_NAMESPACES: namespaces.join(',') }),
      ...env,
    },
  }
  await migrate(installation)
  const roles = await startRoles(installation)
  await createDemo(admin, { ...shipped, plugins })
  return {
    form: 'cluster',
    url: installation.env['BFF_URL'] ?? '',
    gatewayUrl: installation.env['GATEWAY_URL'] ?? '',
    stateUrl: installation.env['STATE_URL'] ?? '',
    tokens: Object.fromEntries(personas.map((name) => [name, cluster.tokens[name] ?? ''])) as Record<Persona, string>,
    processes: roles.processes,
    send: createSend(t, installation.env['BFF_URL'] ?? ''),
    apiServer: { url: cluster.url, ca: cluster.ca },
    kube,
    admin,
    upstream: createUpstreamLog(cluster.facts.auditFile, kube, bearer),
    issuerKeyFile: join(cluster.facts.folder, 'service-accounts.pem'),
    logFiles: serving.map((role) => join(folder.path, `${role}.log`)),
    servers: { postgres, nats },
    roles,
  }
}

/** Applies the shipped CRDs and waits until they are served. */
export async function installCrds(cluster: KubeServer, bearer: string): Promise<void> {
  const kubeconfig = cluster.kubeconfig(bearer)
  const names = kinds.map((kind) => `crd/${kind.plural}.${kind.group}`)
  const applied = await kubectl(kubeconfig, ['apply', '--server-side', '-k', crds])
  assert.equal(applied.code, 0, applied.stderr)
  const end = performance.now() + 60_000
  for (;;) {
    const waited = await kubectl(kubeconfig, ['wait', '--for=condition=Established', '--timeout=60s', ...names])
    if (waited.code === 0) return
    // kubectl does not wait for a CRD that has no conditions yet.
    const isTooEarly = waited.stderr.includes('.status.conditions accessor error')
    assert.ok(isTooEarly && performance.now() < end, waited.stderr)
    await pause(100)
  }
}

// The matrix sends a bearer that the cluster rejects to every route, hundreds of times a minute from one address.
const settings = `agents:
  isolation: none
limits:
  rejectedPerAddressPerMinute: 100000
`

/** Environment of every role: free ports, keys, the cluster and its CA. */
export async function environment(folder: string, cluster: KubeServer, stores: Readonly<Record<string, string>>) {
  const keys = join(folder, 'keys')
  mkdirSync(keys, { mode: 0o700 })
  createKeyring({ dir: keys, generate: declareKeys(plugins, new Set()).types })
  writeFileSync(join(folder, 'ca.crt'), cluster.ca)
  writeFileSync(join(folder, 'mesh.yaml'), settings)
  const ports = { BFF: await freePort(), GATEWAY: await freePort(), STATE: await freePort() }
  const listening = Object.entries(ports).flatMap(([role, port]) => [
    [`MESH_${role}_PORT`, String(port)],
    [`${role}_URL`, `http://127.0.0.1:${port}`],
  ])
  return {
    ...stores,
    ...(Object.fromEntries(listening) as Record<string, string>),
    MESH_CONFIG: join(folder, 'mesh.yaml'),
    MESH_CLUSTER_SERVER: cluster.url,
    MESH_CLUSTER_CA_FILE: join(folder, 'ca.crt'),
    MESH_KEYS_DIR: keys,
    MESH_HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
  }
}
