import type { IncomingMessage } from 'node:http'
import type { User } from '../auth/user.ts'
import { failure } from '../json/api-error.ts'
import type { Authorizer } from '../rbac/authorize.ts'
import { headerValues } from './request-target.ts'

/** The user of a request: the authenticated one, or the one in its `Impersonate-*` headers if permitted. */
export function impersonated(authorizer: Authorizer, request: IncomingMessage, user: User): User {
  const [username] = headerValues(request, 'impersonate-user')
  const groups = headerValues(request, 'impersonate-group')
  const other = request.rawHeaders.some((name, index) => index % 2 === 0 && /^impersonate-(uid|extra-)/i.test(name))
  if (username === undefined && groups.length === 0 && !other) return user
  if (username === undefined || other) {
    const message = 'Internal error occurred: impersonation needs Impersonate-User; uid and extra are not supported'
    throw failure({ code: 500, reason: 'InternalError', message })
  }
  require(authorizer, user, 'users', username)
  for (const group of groups) require(authorizer, user, 'groups', group)
  return { username, groups: [...new Set([...groups, 'system:authenticated'])] }
}

function require(authorizer: Authorizer, user: User, resource: 'users' | 'groups', name: string): void {
  const account = resource === 'users' ? /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) : null
  const [, namespace = '', accountName = name] = account ?? []
  const target = {
    verb: 'impersonate',
    group: '',
    resource: account ? 'serviceaccounts' : resource,
    subresource: '',
    namespace,
    name: accountName,
  }
  if (authorizer.authorize(user, target).allowed) return
  const scope = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope'
  const message = `${target.resource} ${JSON.stringify(accountName)} is forbidden: User ${JSON.stringify(user.username)} cannot impersonate resource ${JSON.stringify(target.resource)} in API group "" ${scope}`
  throw failure({ code: 403, reason: 'Forbidden', message, details: { name: accountName, kind: target.resource } })
}
