interface Packages {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string; readonly optional?: boolean }>
  >
}

export function isInstalled(locked: Packages, installed: Packages): boolean
