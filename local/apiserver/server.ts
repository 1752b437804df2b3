import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import { ISSUER, createAuthenticator } from './auth/authenticate.ts'
import type { TokenIssue } from './auth/authenticate.ts'
import { createTokenSource } from './auth/token-source.ts'
import type { StaticToken } from './auth/user.ts'
import { startControllers } from './controllers/controllers.ts'
import { startDefinitions } from './controllers/serve-definitions.ts'
import { storeDefinitions } from './controllers/given-definitions.ts'
import { createOpenApi } from './documents/openapi.ts'
import type { KubeObject } from './json/kube-object.ts'
import type { Log } from './json/log.ts'
import { DEFINITIONS } from './kinds/custom-kinds.ts'
import type { CustomResourceDefinition } from './kinds/custom-kinds.ts'
import { createKinds } from './kinds/kind-table.ts'
import type { Kinds } from './kinds/kind-table.ts'
import type { Kind } from './kinds/kind.ts'
import { createAuthorizer } from './rbac/authorize.ts'
import { defaultRbacObjects } from './rbac/default-roles.ts'
import { createReviews } from './reviews/review.ts'
import { stampNew } from './rules/metadata.ts'
import { strategyOf } from './strategies/strategy-of-kind.ts'
import { builtinSchema } from './schema/built-in-schemas.ts'
import { compileSchema } from './schema/compile-schema.ts'
import type { JournalCut } from './storage/journal.ts'
import { openStore } from './storage/store.ts'
import type { Store } from './storage/store.ts'
import type { PodLogReader } from './verbs/pod-log.ts'
import { createAudit } from './wire/audit-log.ts'
import { loadCertificate } from './wire/certificate.ts'
import { createHandler } from './wire/handler.ts'
import { guardHost } from './wire/host-guard.ts'
import { InProcessDispatcher } from './wire/in-process.ts'
import { createListener } from './wire/listener.ts'
import { isLoopbackAuthority } from './wire/request-target.ts'

export type { StaticToken } from './auth/user.ts'
export type { Log } from './json/log.ts'
export type { CustomResourceDefinition } from './kinds/custom-kinds.ts'
export type { JournalCut } from './storage/journal.ts'
export type { PodLogReader, PodLogRequest } from './verbs/pod-log.ts'

export interface ApiServerOptions {
  /** Holds the journal and the issuer's key; the caller keeps it locked while the server runs. */
  dataDir: string
  /** Default: loopback. HTTP and HTTPS share the port. */
  host?: string
  /** Default: 0, any free port. */
  port?: number
  /** Created or replaced at each start. Clients may create others. */
  crds: readonly CustomResourceDefinition[]
  tokens: readonly StaticToken[]
  /** Receives one JSON line per request. */
  auditFile?: string
  /** Receives each mutation as an `audit.k8s.io/v1` Event, like the webhook backend of kube-apiserver. */
  onAuditEvent?: (event: object) => void
  now?: () => Date
  log?: Log
  readPodLog?: PodLogReader
  /** False disables the controllers: garbage collection, namespace deletion, default service accounts. */
  controllers?: boolean
}

export interface ApiServer {
  url: string
  /** The same port over TLS; kubectl and client-go send tokens over TLS only. */
  tlsUrl: string
  /** PEM, for `certificate-authority-data`. */
  certificateAuthority: string
  port: number
  /** The part of a damaged journal that was removed at this start. */
  journalCut: JournalCut | undefined
  /** Dispatcher for calls from the same process, without a socket. */
  calls: Dispatcher
  /** Issues a token of an existing service account, without a request: for roles in the same process. */
  issueToken(
    account: { namespace: string; name: string },
    audiences?: readonly string[],
    seconds?: number,
  ): Promise<string>
  /** Like `issueToken`, for repeated use: the source keeps a token for 80 % of its life, while the account exists. */
  tokenSource(account: { namespace: string; name: string }, seconds: number): () => Promise<string>
  close(): Promise<void>
}

const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** Starts the embedded API server; resolves when it listens and the objects of the start are durable. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { dataDir, host = '127.0.0.1', port = 0, now = () => new Date(), log = () => undefined } = options
  const store = await openStore(dataDir, log)
  const closing = new AbortController()
  let closed: Promise<void> | undefined
  try {
    const schemas = { compile: compileSchema, builtIn: builtinSchema }
    const kinds = createKinds(schemas)
    bootstrap(store, kinds, options.crds, now())
    const stopDefinitions = startDefinitions({ store, kinds, schemas, now, log })
    const authenticator = createAuthenticator({
      tokens: options.tokens,
      keyFile: join(dataDir, 'issuer.key'),
      now,
      objects: store,
    })
    const authorizer = createAuthorizer(store)
    const reviews = createReviews({ authorizer, authenticator, now })
    const audit = createAudit(options.auditFile, options.onAuditEvent)
    const stopControllers = options.controllers === false ? () => undefined : startControllers({ store, kinds, now })
    let address = ''
    const handler = createHandler({
      store,
      kinds,
      authenticator,
      authorizer,
      reviews,
      openApi: createOpenApi(kinds),
      audit,
      readPodLog: options.readPodLog,
      now,
      log,
      closing: closing.signal,
      address: () => address,
    })
    const certificate = loadCertificate(join(dataDir, 'serving.json'), now())
    const listener = createListener(certificate, isLoopbackAuthority(host) ? guardHost(handler) : handler)
    const bound = await listener.listen(host, port)
    address = `${host}:${bound}`
    await store.settled()
    const calls = new InProcessDispatcher(handler)
    const issue = async (request: TokenIssue): Promise<string> => (await authenticator.issue(request)).token
    return {
      calls,
      journalCut: store.cut,
      url: `http://${address}`,
      tlsUrl: `https://${address}`,
      certificateAuthority: certificate.certificate,
      port: bound,
      issueToken: async (account, audiences = [ISSUER], seconds = 3_600) =>
        issue(issueFor(store, account, audiences, seconds)),
      tokenSource: (account, seconds) =>
        createTokenSource(() => issueFor(store, account, [ISSUER], seconds), issue, now),
      close: () => (closed ??= close()),
    }
    async function close(): Promise<void> {
      closing.abort()
      await calls.close()
      await listener.close()
      stopControllers()
      stopDefinitions()
      await audit.close()
      await store.close()
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

function issueFor(
  store: Store,
  { namespace, name }: { namespace: string; name: string },
  audiences: readonly string[],
  expirationSeconds: number,
): TokenIssue {
  const uid = store.get('', 'serviceaccounts', namespace, name)?.metadata.uid
  if (uid === undefined) throw new Error(`service account ${namespace}/${name} does not exist`)
  return { serviceAccount: { namespace, name, uid }, audiences, expirationSeconds }
}

/** Creates absent default objects: namespaces, default roles, the given definitions. */
function bootstrap(store: Store, kinds: Kinds, crds: readonly CustomResourceDefinition[], now: Date): void {
  const namespaces = SYSTEM_NAMESPACES.map((name): KubeObject => ({
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name },
  }))
  for (const object of [...namespaces, ...defaultRbacObjects()]) {
    const kind = kinds.all.find((each) => each.kind === object.kind && each.apiVersion === object.apiVersion)
    if (kind && !store.find(kind.storeId, object.metadata.name)) create(store, kind, object, now)
  }
  const kind = kinds.byStore(DEFINITIONS)
  if (kind) storeDefinitions(store, kind, crds, now)
}

function create(store: Store, kind: Kind, given: KubeObject, now: Date): void {
  const object = structuredClone(given)
  stampNew(object, kind, '', now)
  strategyOf(kind).create?.(object, () => false)
  store.put(kind.storeId, object.metadata.name, object)
}
