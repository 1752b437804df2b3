import { dirname, resolve } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { isObject } from '#core/json/is-object.ts'
import { fileProblem } from './describe-file-error.ts'
import { readBounded, readCertificates, readPrivateKey, UnusableFile } from './bounded-file.ts'
import { getAt } from '#core/json/get-at.ts'

type Entry = Readonly<Record<string, unknown>>

/**
 * Returns why a kubeconfig cannot be used: malformed, no current context, a missing context, cluster or user, or unreadable certificates,
 * keys or files. The library that reads it quotes the file in its errors, tokens included.
 */
export function kubeconfigProblem(text: string, path: string): string | undefined {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' })
  const [broken] = document.errors
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0])
    return `line ${line}, column ${col} is not valid YAML`
  }
  const config = toData(document)
  if (!isObject(config)) return 'it is not a YAML mapping'
  return contextProblem(config, dirname(path))
}

function toData(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS()
  } catch {
    // Too many aliases.
    return undefined
  }
}

function contextProblem(config: Entry, folder: string): string | undefined {
  const name = config['current-context']
  if (typeof name !== 'string' || name === '')
    return 'it has no current-context (kubectl config use-context NAME sets one)'
  const context = find(config, 'contexts', 'context', name)
  if (context === undefined) return `its current-context ${quote(name)} is not one of its contexts`
  const cluster = find(config, 'clusters', 'cluster', context['cluster'])
  if (cluster === undefined) return `the cluster of its context ${quote(name)} is missing`
  const user = find(config, 'users', 'user', context['user'])
  if (user === undefined && context['user'] !== undefined) return `the user of its context ${quote(name)} is missing`
  return clusterProblem(cluster, folder) ?? (user && userProblem(user, folder))
}

function find(config: Entry, list: string, field: string, name: unknown): Entry | undefined {
  const entries: unknown = config[list]
  const entry: unknown = Array.isArray(entries) ? entries.find((one) => getAt(one, ['name']) === name) : undefined
  const found = getAt(entry, [field])
  return isObject(found) ? found : undefined
}

function clusterProblem(cluster: Entry, folder: string): string | undefined {
  const { server } = cluster
  const url = typeof server === 'string' ? URL.parse(server) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    return 'the server of its cluster is not an http or https URL'
  return partProblem(cluster, 'certificate-authority', folder, readCertificates)
}

function userProblem(user: Entry, folder: string): string | undefined {
  return (
    partProblem(user, 'client-certificate', folder, readCertificates) ??
    partProblem(user, 'client-key', folder, readPrivateKey) ??
    partProblem(user, 'tokenFile', folder, () => undefined)
  )
}

// A part is either inline in base64 (`client-key-data`) or in a file (`client-key`). As in kubectl, inline data takes precedence.
function partProblem(entry: Entry, name: string, folder: string, check: (text: string) => unknown): string | undefined {
  const [data, file] = [entry[`${name}-data`], entry[name]]
  const given = textOf(data) ?? textOf(file)
  if (given === undefined) return undefined
  const isData = textOf(data) !== undefined
  const path = resolve(folder, given)
  const prefix = isData ? `its ${name}-data: ` : `its ${name} ${path}: `
  try {
    check(isData ? Buffer.from(given, 'base64').toString('utf8') : readBounded(path))
    return undefined
  } catch (error) {
    return prefix + (error instanceof UnusableFile ? error.message : fileProblem(error))
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 60))
}
