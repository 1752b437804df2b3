import { failure } from '../json/api-error.ts'
import type { Kind } from '../kinds/kind.ts'
import { checkName } from '../verbs/decode-object.ts'
import type { Exchange } from '../verbs/exchange.ts'

/** Checks namespace, scope and name of the path; false if kube-apiserver has no such path. */
export function checkPath({ info }: Exchange, kind: Kind): boolean {
  if (info.namespace === '.' || info.namespace === '..')
    throw failure({ code: 500, message: `invalid namespace: ${JSON.stringify(info.namespace)}` })
  const listing = info.verb === 'list' || info.verb === 'watch'
  const named = info.name !== '' && !listing
  if (!listing || info.subresource) {
    // Writes read their body first and check the name later.
    if (named && !['update', 'patch', 'delete'].includes(info.verb)) checkName(info.name)
  }
  // A namespaced Role must not grant access to a cluster-scoped object (SEC10).
  if (!kind.namespaced) return !info.scoped
  return info.namespace !== '' || listing
}
