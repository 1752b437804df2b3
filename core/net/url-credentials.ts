/** Whether user and password of a URL can be decoded: a `%` that begins no escape sequence would throw later, far from its setting. */
export function hasDecodableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username)
    decodeURIComponent(password)
    return true
  } catch {
    return false
  }
}
