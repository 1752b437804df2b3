/** A field that every response has. Throws a `TypeError` without it: the client then names the request. */
export function fieldOf<Response extends object, Name extends keyof Response>(
  response: Response,
  name: Name,
): Exclude<Response[Name], undefined> {
  const value = response[name]
  if (value === undefined) throw new TypeError(`the response has no field ${String(name)}`)
  return value as Exclude<Response[Name], undefined>
}
