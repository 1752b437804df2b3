/** A response that is text in another format than JSON, such as CSV. It is not validated; the endpoint declares its type in `docs.text`. */
export class TextResponse {
  readonly contentType: string
  readonly text: string
  constructor(contentType: string, text: string) {
    this.contentType = contentType
    this.text = text
  }
}
