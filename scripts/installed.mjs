// Plain JavaScript for Node 18 and newer: it runs before anything is installed.

/**
 * Whether npm has installed the packages of the lock file. `installed` is npm's own record, node_modules/.package-lock.json. An optional
 * package may be missing, such as the Node of another platform.
 */
export function isInstalled(locked, installed) {
  return Object.entries(locked.packages).every(([path, wanted]) => {
    if (path === '') return true
    const found = installed.packages[path]
    if (found === undefined) return wanted.optional === true
    return found.version === wanted.version && found.integrity === wanted.integrity
  })
}
