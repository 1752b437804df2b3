/** A path of this origin; undefined for anything that leads elsewhere, such as `//host`, `/\host` or a scheme. */
export function ownPath(given: string | undefined, origin: string = location.origin): string | undefined {
  if (given === undefined || !/^\/(?![/\\])/.test(given) || !URL.canParse(given, origin)) return undefined
  const url = new URL(given, origin)
  return url.origin === origin ? `${url.pathname}${url.search}${url.hash}` : undefined
}
