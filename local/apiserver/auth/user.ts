/** The user of a request; anonymous is `system:anonymous` in `system:unauthenticated`. */
export interface User {
  username: string
  uid?: string
  groups: readonly string[]
  extra?: { readonly [key: string]: readonly string[] }
}

/** A static token, fixed at startup. */
export interface StaticToken {
  token: string
  username: string
  uid?: string
  groups: readonly string[]
}
