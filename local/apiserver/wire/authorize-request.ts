import type { User } from '../auth/user.ts'
import { failure, qualified } from '../json/api-error.ts'
import type { RequestInfo } from '../rbac/request-info.ts'
import type { Services } from './services.ts'

function where(info: RequestInfo): string {
  return info.namespace ? `in the namespace ${JSON.stringify(info.namespace)}` : 'at the cluster scope'
}

/** Throws a 403 unless the user is authorized for the request. */
export function authorize(services: Services, user: User, info: RequestInfo): void {
  const { verb, group, version, resource, subresource, namespace, name, path, isResource } = info
  const attributes = { verb, group, version, resource, subresource, namespace, name, ...(isResource ? {} : { path }) }
  const { allowed, reason } = services.authorizer.authorize(user, attributes)
  if (allowed) return
  const who = `User ${JSON.stringify(user.username)} cannot`
  const why = reason ? `: ${reason}` : ''
  if (!isResource) {
    const message = `forbidden: ${who} ${verb} path ${JSON.stringify(path)}${why}`
    throw failure({ code: 403, reason: 'Forbidden', message, details: {} })
  }
  const what = JSON.stringify(subresource ? `${resource}/${subresource}` : resource)
  const details = { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: resource }
  const subject = `${qualified(group, resource)}${name ? ` ${JSON.stringify(name)}` : ''}`
  const message = `${subject} is forbidden: ${who} ${verb} resource ${what} in API group ${JSON.stringify(group)} ${where(info)}${why}`
  throw failure({ code: 403, reason: 'Forbidden', message, details })
}
