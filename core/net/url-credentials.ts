/** Whether user and password of a URL can be decoded. An invalid `%` would throw later, far from the setting. */
export function hasDecodableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username)
    decodeURIComponent(password)
    return true
  } catch {
    return false
  }
}
