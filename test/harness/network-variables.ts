/** Variables with which programs reach a registry: proxies, and certificate authorities of a proxy. */
const names = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'PIP_CERT',
  'npm_config_registry',
] as const

/** Those that are set, for a command that runs in an otherwise empty environment. */
export function networkVariables(): Readonly<Record<string, string>> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}
