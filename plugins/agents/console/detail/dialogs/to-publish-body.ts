/** What was typed of a template. */
export interface PublishFields {
  readonly title: string
  readonly description: string
  readonly tags: string
}

/** The body of the request: empty fields are left out, and a tag counts once. Pure. */
export function toPublishBody({ title, description, tags }: PublishFields) {
  const words = new Set(tags.split(',').map((tag) => tag.trim()))
  words.delete('')
  return {
    title,
    ...(description === '' ? {} : { description }),
    ...(words.size === 0 ? {} : { tags: [...words] }),
  }
}
