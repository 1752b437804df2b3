/** The words of publishing a server, in English. */
export const publishText = {
  open: 'Publish',
  title: (server: string) => `Publish ${server}`,
  hint: 'Its title, description, address and kind of credential are shown as a connector. The credential is not part of it.',
  action: 'Publish',
  end: 'End the publication',
  name: 'Title',
  description: 'Description',
  tags: 'Tags',
  tagsHint: 'Lowercase words, with spaces between them',
  visible: 'Shown to',
  audiences: { all: 'Every namespace', some: 'Some namespaces', none: 'No namespace: it ends the publication' },
  namespaces: 'Namespaces',
  namespacesHint: 'With spaces between them',
  namespacesRequired: 'Name a namespace.',
  done: (server: string) => `${server} is published`,
  ended: (server: string) => `${server} is no longer published`,
} as const
