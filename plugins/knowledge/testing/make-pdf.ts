import { deflateSync } from 'node:zlib'

/** A PDF with one line of text per page. */
export function makePdf(pages: readonly string[], title?: string): Buffer {
  const streams = pages.map((text) =>
    Buffer.from(`BT /F1 12 Tf 72 720 Td (${text.replaceAll(/[\\()]/g, '\\$&')}) Tj ET`),
  )
  return makePdfOf(
    streams.map((content) => ({ content, filter: '' })),
    title,
  )
}

/** A PDF of one page whose content decompresses to `bytes` bytes. */
export function makePdfBomb(bytes: number): Buffer {
  const content = deflateSync(Buffer.alloc(bytes, ' '), { level: 1 })
  return makePdfOf([{ content, filter: '/Filter /FlateDecode ' }])
}

interface PageContent {
  readonly content: Buffer
  readonly filter: string
}

function makePdfOf(pages: readonly PageContent[], title?: string): Buffer {
  const first = 4
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(' ')
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    ...pages.flatMap(({ content, filter }, index) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + index * 2 + 1} 0 R >>`,
      ),
      Buffer.concat([
        Buffer.from(`<< ${filter}/Length ${content.length} >>\nstream\n`),
        content,
        Buffer.from('\nendstream'),
      ]),
    ]),
    ...(title === undefined ? [] : [Buffer.from(`<< /Title (${title}) >>`)]),
  ]
  return assemble(objects, title !== undefined)
}

function assemble(objects: readonly Buffer[], hasInfo: boolean): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  for (const [index, body] of objects.entries()) {
    const object = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')])
    offsets.push(length)
    length += object.length
    parts.push(object)
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const info = hasInfo ? ` /Info ${objects.length} 0 R` : ''
  const trailer = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${info} >>\nstartxref\n${length}\n%%EOF\n`
  return Buffer.concat([...parts, Buffer.from(trailer)])
}
