/** A user of a test API server with a static token. */
export interface Persona {
  readonly name: string
  readonly token: string
  readonly user: string
  readonly groups: readonly string[]
}

/** Users of every test API server. RBAC objects grant their permissions; only admin has them without. */
export const personas: readonly Persona[] = [
  persona('admin', ['system:masters']),
  persona('viewer', ['mesh:viewers']),
  persona('developer', ['mesh:developers']),
  persona('operator', ['mesh:operators']),
  persona('other-tenant', ['mesh:other-tenants']),
  persona('unbound', []),
]

/** Lines `token,user,uid,"group,group"` of `--token-auth-file`. */
export function personaFile(all: readonly Persona[]): string {
  return all.map((one) => `${one.token},${one.user},uid-${one.name},"${one.groups.join(',')}"\n`).join('')
}

function persona(name: string, groups: readonly string[]): Persona {
  return { name, token: `test-token-${name}`, user: name, groups }
}
