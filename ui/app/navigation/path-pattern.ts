/** Whether a path is that of a route. A part of the route that begins with `$` is any one. */
export function isAtPath(path: string, route: string): boolean {
  const parts = path.split('/')
  const wanted = route.split('/')
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith('$') || part === parts[at])
}
