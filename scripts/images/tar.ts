/** One entry of a tar archive; the body of a file follows its header. */
export interface TarHeader {
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link'
  readonly mode: number
  readonly size?: number
  readonly target?: string
}

const block = 512
const typeFlags = { file: '0', folder: '5', link: '2' }

/** The 512-byte header of an entry (POSIX ustar): owner root, time zero, so that equal content has an equal digest. */
export function tarHeader(entry: TarHeader): Buffer {
  const header = Buffer.alloc(block)
  const { name, prefix } = splitPath(entry.kind === 'folder' ? `${entry.path}/` : entry.path)
  header.write(name, 0)
  header.write(octal(entry.mode, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(entry.kind === 'file' ? (entry.size ?? 0) : 0, 11), 124)
  header.write(octal(0, 11), 136)
  header.write(' '.repeat(8), 148)
  header.write(typeFlags[entry.kind], 156)
  header.write(checkedLength(entry.target ?? '', 100), 157)
  header.write('ustar\u000000', 257)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

/** Zeros that pad a body of `size` bytes to the next block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block)
}

/** The two empty blocks at the end of an archive. */
export function tarEnd(): Buffer {
  return Buffer.alloc(block * 2)
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

// ustar stores 100 bytes of name and 155 of prefix, split at a slash.
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' }
  const cut = path.indexOf('/', path.length - 101)
  if (cut < 0 || cut > 155) throw new Error(`path too long for an archive: ${path}`)
  return { name: path.slice(cut + 1), prefix: path.slice(0, cut) }
}

function checkedLength(text: string, limit: number): string {
  if (Buffer.byteLength(text) > limit) throw new Error(`link too long for an archive: ${text}`)
  return text
}
