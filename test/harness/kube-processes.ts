import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { startProcess } from './server-process.ts'
import type { ServerProcess } from './server-process.ts'

/** Audit webhook of an API server. */
export interface AuditWebhook {
  readonly url: string
  readonly token: string
  readonly policy: object
  readonly ca: string
  /** Client certificate and its key, both PEM. */
  readonly client?: { readonly certificate: string; readonly key: string }
}

/** Default policy: the metadata of every request. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
}

// Half of the CPU time of a short-lived API server is garbage collection; a larger heap costs less.
const fewCollections = { GOGC: '400', GOMEMLIMIT: '700MiB' }

/** Starts etcd without fsync. */
export function startEtcd(program: string, folder: string, url: string, peerPort: number): ServerProcess {
  const peer = `http://127.0.0.1:${peerPort}`
  return startProcess({
    program,
    log: join(folder, 'etcd.log'),
    env: fewCollections,
    args: [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=error',
    ],
  })
}

/** Writes the key of service account tokens. Written once, since tokens outlive a restart. */
export function writeSigningKey(folder: string): void {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(signingKey(folder), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 })
}

function signingKey(folder: string): string {
  return join(folder, 'service-accounts.pem')
}

/** Compacts etcd through its JSON gateway. */
export async function compact(etcdUrl: string): Promise<void> {
  const ask = async (path: string, body: object): Promise<{ readonly header: { readonly revision: string } }> => {
    const answer = await fetch(`${etcdUrl}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`etcd answers ${answer.status} to ${path}`)
    return (await answer.json()) as { readonly header: { readonly revision: string } }
  }
  const { header } = await ask('maintenance/status', {})
  await ask('kv/compaction', { revision: header.revision, physical: true })
}

/** Writes the kubeconfig by which the API server reaches the audit webhook. */
export function writeWebhookConfig(folder: string, webhook: AuditWebhook): void {
  const { url, token, ca, client } = webhook
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const presented =
    client === undefined
      ? {}
      : { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64(client.key) }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'mesh', cluster: { server: url, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'apiserver', user: { token, ...presented } }],
    contexts: [{ name: 'mesh', context: { cluster: 'mesh', user: 'apiserver' } }],
    'current-context': 'mesh',
  }
  writeFileSync(join(folder, 'audit-webhook.json'), JSON.stringify(config), { mode: 0o600 })
}

/** Files and ports of an API server. */
export interface ApiserverPlace {
  readonly folder: string
  readonly etcdUrl: string
  readonly port: number
  readonly webhook: boolean
}

/** Starts kube-apiserver with RBAC and static tokens. */
export function startApiserver(program: string, { folder, etcdUrl, port, webhook }: ApiserverPlace): ServerProcess {
  const key = signingKey(folder)
  return startProcess({
    program,
    log: join(folder, 'kube-apiserver.log'),
    env: fewCollections,
    args: [
      `--etcd-servers=${etcdUrl}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${join(folder, 'certs')}`,
      '--authorization-mode=RBAC',
      `--token-auth-file=${join(folder, 'personas.csv')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--disable-admission-plugins=ServiceAccount',
      `--audit-policy-file=${join(folder, 'audit-policy.json')}`,
      `--audit-log-path=${join(folder, 'audit.log')}`,
      ...(webhook
        ? [
            `--audit-webhook-config-file=${join(folder, 'audit-webhook.json')}`,
            '--audit-webhook-mode=batch',
            '--audit-webhook-batch-max-wait=500ms',
            '--audit-webhook-initial-backoff=500ms',
          ]
        : []),
    ],
  })
}

/** Returns whether the API server is ready. Its certificate may not exist at the first probe, so this does not verify it. */
export function isReady(port: number, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request(
      {
        host: '127.0.0.1',
        port,
        path: '/readyz',
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${token}` },
        agent: false,
      },
      (answer) => {
        answer.resume()
        answer.once('end', () => resolve(answer.statusCode === 200))
      },
    )
    probe.once('error', () => resolve(false))
    probe.end()
  })
}
