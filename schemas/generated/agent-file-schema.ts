// Generated from schemas/agent-file/schema.ts by `npm run generate`; do not edit.
// oxfmt-ignore
/** JSON schema of the simplified agent format, without any library. */
export const agentFileSchema: Record<string, unknown> = {
  "type": "object",
  "required": [
    "name"
  ],
  "properties": {
    "name": {
      "type": "string",
      "minLength": 1,
      "maxLength": 52,
      "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$"
    },
    "namespace": {
      "type": "string",
      "maxLength": 63,
      "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
    },
    "labels": {
      "type": "object",
      "patternProperties": {
        "^.*$": {
          "type": "string",
          "maxLength": 65536
        }
      }
    },
    "annotations": {
      "type": "object",
      "patternProperties": {
        "^.*$": {
          "type": "string",
          "maxLength": 65536
        }
      }
    },
    "image": {
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "pattern": "^[^\\s]+$"
    },
    "executionModel": {
      "enum": [
        "service",
        "job"
      ]
    },
    "runtime": {
      "type": "object",
      "properties": {
        "command": {
          "type": "array",
          "items": {
            "type": "string",
            "maxLength": 4096
          },
          "minItems": 1,
          "maxItems": 64
        },
        "args": {
          "type": "array",
          "items": {
            "type": "string",
            "maxLength": 32768
          },
          "maxItems": 256
        },
        "port": {
          "type": "integer",
          "minimum": 1,
          "maximum": 65535
        },
        "env": {
          "anyOf": [
            {
              "type": "object",
              "patternProperties": {
                "^[A-Za-z_][A-Za-z0-9_]*$": {
                  "anyOf": [
                    {
                      "type": "string",
                      "maxLength": 32768
                    },
                    {
                      "type": "number"
                    },
                    {
                      "type": "boolean"
                    }
                  ]
                }
              },
              "additionalProperties": false
            },
            {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "name"
                ],
                "properties": {
                  "name": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 256,
                    "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"
                  },
                  "value": {
                    "type": "string",
                    "maxLength": 32768
                  },
                  "valueFrom": {
                    "type": "object",
                    "properties": {
                      "secretKeyRef": {
                        "type": "object",
                        "required": [
                          "name",
                          "key"
                        ],
                        "properties": {
                          "name": {
                            "type": "string",
                            "maxLength": 253,
                            "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
                          },
                          "key": {
                            "type": "string",
                            "maxLength": 253,
                            "pattern": "^[-._a-zA-Z0-9]+$"
                          }
                        },
                        "additionalProperties": false
                      },
                      "configMapKeyRef": {
                        "type": "object",
                        "required": [
                          "name",
                          "key"
                        ],
                        "properties": {
                          "name": {
                            "type": "string",
                            "maxLength": 253
                          },
                          "key": {
                            "type": "string",
                            "maxLength": 253
                          }
                        },
                        "additionalProperties": false
                      }
                    },
                    "additionalProperties": false
                  }
                },
                "additionalProperties": false
              },
              "maxItems": 128
            }
          ]
        }
      },
      "additionalProperties": false
    },
    "resources": {
      "anyOf": [
        {
          "type": "object",
          "properties": {
            "cpu": {
              "anyOf": [
                {
                  "type": "integer"
                },
                {
                  "type": "string"
                }
              ],
              "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$",
              "maxLength": 32
            },
            "memory": {
              "anyOf": [
                {
                  "type": "integer"
                },
                {
                  "type": "string"
                }
              ],
              "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$",
              "maxLength": 32
            }
          },
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "requests": {
              "type": "object",
              "additionalProperties": {
                "anyOf": [
                  {
                    "type": "integer"
                  },
                  {
                    "type": "string"
                  }
                ],
                "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$",
                "maxLength": 32
              },
              "maxProperties": 16
            },
            "limits": {
              "type": "object",
              "additionalProperties": {
                "anyOf": [
                  {
                    "type": "integer"
                  },
                  {
                    "type": "string"
                  }
                ],
                "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$",
                "maxLength": 32
              },
              "maxProperties": 16
            }
          },
          "additionalProperties": false
        }
      ]
    },
    "scaling": {
      "type": "object",
      "properties": {
        "replicas": {
          "type": "integer",
          "minimum": 0,
          "maximum": 1000
        },
        "minReplicas": {
          "type": "integer",
          "minimum": 0,
          "maximum": 1000
        },
        "maxReplicas": {
          "type": "integer",
          "minimum": 1,
          "maximum": 1000
        },
        "policyRef": {
          "anyOf": [
            {
              "type": "string",
              "maxLength": 253,
              "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
            },
            {
              "type": "object",
              "required": [
                "name"
              ],
              "properties": {
                "name": {
                  "type": "string",
                  "maxLength": 253,
                  "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
                }
              },
              "additionalProperties": false
            }
          ]
        }
      },
      "additionalProperties": false
    },
    "pod": {
      "type": "object",
      "properties": {
        "nodeSelector": {
          "type": "object",
          "additionalProperties": {
            "type": "string",
            "maxLength": 63
          },
          "maxProperties": 32
        },
        "tolerations": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "key": {
                "type": "string",
                "maxLength": 317
              },
              "operator": {
                "enum": [
                  "Exists",
                  "Equal"
                ]
              },
              "value": {
                "type": "string",
                "maxLength": 63
              },
              "effect": {
                "enum": [
                  "NoSchedule",
                  "PreferNoSchedule",
                  "NoExecute"
                ]
              },
              "tolerationSeconds": {
                "type": "integer",
                "minimum": 0,
                "maximum": 2147483647
              }
            },
            "additionalProperties": false
          },
          "maxItems": 32
        },
        "affinity": {
          "type": "object",
          "properties": {
            "nodeAffinity": {
              "type": "object",
              "properties": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                  "type": "object",
                  "required": [
                    "nodeSelectorTerms"
                  ],
                  "properties": {
                    "nodeSelectorTerms": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "properties": {
                          "matchExpressions": {
                            "type": "array",
                            "items": {
                              "type": "object",
                              "required": [
                                "key",
                                "operator"
                              ],
                              "properties": {
                                "key": {
                                  "type": "string",
                                  "minLength": 1,
                                  "maxLength": 317
                                },
                                "operator": {
                                  "enum": [
                                    "In",
                                    "NotIn",
                                    "Exists",
                                    "DoesNotExist",
                                    "Gt",
                                    "Lt"
                                  ]
                                },
                                "values": {
                                  "type": "array",
                                  "items": {
                                    "type": "string",
                                    "maxLength": 63
                                  },
                                  "maxItems": 32
                                }
                              },
                              "additionalProperties": false
                            },
                            "maxItems": 16
                          },
                          "matchFields": {
                            "type": "array",
                            "items": {
                              "type": "object",
                              "required": [
                                "key",
                                "operator"
                              ],
                              "properties": {
                                "key": {
                                  "type": "string",
                                  "minLength": 1,
                                  "maxLength": 317
                                },
                                "operator": {
                                  "enum": [
                                    "In",
                                    "NotIn",
                                    "Exists",
                                    "DoesNotExist",
                                    "Gt",
                                    "Lt"
                                  ]
                                },
                                "values": {
                                  "type": "array",
                                  "items": {
                                    "type": "string",
                                    "maxLength": 63
                                  },
                                  "maxItems": 32
                                }
                              },
                              "additionalProperties": false
                            },
                            "maxItems": 16
                          }
                        },
                        "additionalProperties": false
                      },
                      "minItems": 1,
                      "maxItems": 16
                    }
                  },
                  "additionalProperties": false
                },
                "preferredDuringSchedulingIgnoredDuringExecution": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "weight",
                      "preference"
                    ],
                    "properties": {
                      "weight": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 100
                      },
                      "preference": {
                        "type": "object",
                        "properties": {
                          "matchExpressions": {
                            "type": "array",
                            "items": {
                              "type": "object",
                              "required": [
                                "key",
                                "operator"
                              ],
                              "properties": {
                                "key": {
                                  "type": "string",
                                  "minLength": 1,
                                  "maxLength": 317
                                },
                                "operator": {
                                  "enum": [
                                    "In",
                                    "NotIn",
                                    "Exists",
                                    "DoesNotExist",
                                    "Gt",
                                    "Lt"
                                  ]
                                },
                                "values": {
                                  "type": "array",
                                  "items": {
                                    "type": "string",
                                    "maxLength": 63
                                  },
                                  "maxItems": 32
                                }
                              },
                              "additionalProperties": false
                            },
                            "maxItems": 16
                          },
                          "matchFields": {
                            "type": "array",
                            "items": {
                              "type": "object",
                              "required": [
                                "key",
                                "operator"
                              ],
                              "properties": {
                                "key": {
                                  "type": "string",
                                  "minLength": 1,
                                  "maxLength": 317
                                },
                                "operator": {
                                  "enum": [
                                    "In",
                                    "NotIn",
                                    "Exists",
                                    "DoesNotExist",
                                    "Gt",
                                    "Lt"
                                  ]
                                },
                                "values": {
                                  "type": "array",
                                  "items": {
                                    "type": "string",
                                    "maxLength": 63
                                  },
                                  "maxItems": 32
                                }
                              },
                              "additionalProperties": false
                            },
                            "maxItems": 16
                          }
                        },
                        "additionalProperties": false
                      }
                    },
                    "additionalProperties": false
                  },
                  "maxItems": 16
                }
              },
              "additionalProperties": false
            },
            "podAffinity": {
              "type": "object",
              "properties": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "topologyKey"
                    ],
                    "properties": {
                      "labelSelector": {
                        "type": "object",
                        "properties": {
                          "matchLabels": {
                            "type": "object",
                            "additionalProperties": {
                              "type": "string",
                              "maxLength": 63
                            },
                            "maxProperties": 16
                          },
                          "matchExpressions": {
                            "type": "array",
                            "items": {
                              "type": "object",
                              "required": [
                                "key",
                                "operator"
                              ],
                              "properties": {
                                "key": {
                                  "type": "string",
                                  "minLength": 1,
                                  "maxLength": 317
                                },
                                "operator": {
                                  "enum": [
                                    "In",
                                    "NotIn",
                                    "Exists",
                                    "DoesNotExist"
                                  ]
                                },
                                "values": {
                                  "type": "array",
                                  "items": {
                                    "type": "string",
                                    "maxLength": 63
                                  },
                                  "maxItems": 32
                                }
                              },
                              "additionalProperties": false
                            },
                            "maxItems": 16
                          }
                        },
                        "additionalProperties": false
                      },
                      "topologyKey": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 317
                      },
                      "namespaces": {
                        "type": "array",
                        "items": {
                          "type": "string",
                          "maxLength": 63,
                          "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
                        },
                        "maxItems": 32
                      },
                      "namespaceSelector": {
                        "type": "object",
                        "properties": {
                          "matchLabels": {
                            "type": "object",
                            "additionalProperties": {
                              "type": "string",
                              "maxLength": 63
                            },
                            "maxProperties": 16
                          },
                          "matchExpressions": {
                            "type": "array",
                            "items": {
                              "type": "object",
                              "required": [
                                "key",
                                "operator"
                              ],
                              "properties": {
                                "key": {
                                  "type": "string",
                                  "minLength": 1,
                                  "maxLength": 317
                                },
                                "operator": {
                                  "enum": [
                                    "In",
                                    "NotIn",
                                    "Exists",
                                    "DoesNotExist"
                                  ]
                                },
                                "values": {
                                  "type": "array",
                                  "items": {
                                    "type": "string",
                                    "maxLength": 63
                                  },
                                  "maxItems": 32
                                }
                              },
                              "additionalProperties": false
                            },
                            "maxItems": 16
                          }
                        },
                        "additionalProperties": false
                      },
                      "matchLabelKeys": {
                        "type": "array",
                        "items": {
                          "type": "string",
                          "minLength": 1,
                          "maxLength": 317
                        },
                        "maxItems": 16
                      },
                      "mismatchLabelKeys": {
                        "type": "array",
                        "items": {
                          "type": "string",
                          "minLength": 1,
                          "maxLength": 317
                        },
                        "maxItems": 16
                      }
                    },
                    "additionalProperties": false
                  },
                  "maxItems": 16
                },
                "preferredDuringSchedulingIgnoredDuringExecution": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "weight",
                      "podAffinityTerm"
                    ],
                    "properties": {
                      "weight": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 100
                      },
                      "podAffinityTerm": {
                        "type": "object",
                        "required": [
                          "topologyKey"
                        ],
                        "properties": {
                          "labelSelector": {
                            "type": "object",
                            "properties": {
                              "matchLabels": {
                                "type": "object",
                                "additionalProperties": {
                                  "type": "string",
                                  "maxLength": 63
                                },
                                "maxProperties": 16
                              },
                              "matchExpressions": {
                                "type": "array",
                                "items": {
                                  "type": "object",
                                  "required": [
                                    "key",
                                    "operator"
                                  ],
                                  "properties": {
                                    "key": {
                                      "type": "string",
                                      "minLength": 1,
                                      "maxLength": 317
                                    },
                                    "operator": {
                                      "enum": [
                                        "In",
                                        "NotIn",
                                        "Exists",
                                        "DoesNotExist"
                                      ]
                                    },
                                    "values": {
                                      "type": "array",
                                      "items": {
                                        "type": "string",
                                        "maxLength": 63
                                      },
                                      "maxItems": 32
                                    }
                                  },
                                  "additionalProperties": false
                                },
                                "maxItems": 16
                              }
                            },
                            "additionalProperties": false
                          },
                          "topologyKey": {
                            "type": "string",
                            "minLength": 1,
                            "maxLength": 317
                          },
                          "namespaces": {
                            "type": "array",
                            "items": {
                              "type": "string",
                              "maxLength": 63,
                              "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
                            },
                            "maxItems": 32
                          },
                          "namespaceSelector": {
                            "type": "object",
                            "properties": {
                              "matchLabels": {
                                "type": "object",
                                "additionalProperties": {
                                  "type": "string",
                                  "maxLength": 63
                                },
                                "maxProperties": 16
                              },
                              "matchExpressions": {
                                "type": "array",
                                "items": {
                                  "type": "object",
                                  "required": [
                                    "key",
                                    "operator"
                                  ],
                                  "properties": {
                                    "key": {
                                      "type": "string",
                                      "minLength": 1,
                                      "maxLength": 317
                                    },
                                    "operator": {
                                      "enum": [
                                        "In",
                                        "NotIn",
                                        "Exists",
                                        "DoesNotExist"
                                      ]
                                    },
                                    "values": {
                                      "type": "array",
                                      "items": {
                                        "type": "string",
                                        "maxLength": 63
                                      },
                                      "maxItems": 32
                                    }
                                  },
                                  "additionalProperties": false
                                },
                                "maxItems": 16
                              }
                            },
                            "additionalProperties": false
                          },
                          "matchLabelKeys": {
                            "type": "array",
                            "items": {
                              "type": "string",
                              "minLength": 1,
                              "maxLength": 317
                            },
                            "maxItems": 16
                          },
                          "mismatchLabelKeys": {
                            "type": "array",
                            "items": {
                              "type": "string",
                              "minLength": 1,
                              "maxLength": 317
                            },
                            "maxItems": 16
                          }
                        },
                        "additionalProperties": false
                      }
                    },
                    "additionalProperties": false
                  },
                  "maxItems": 16
                }
              },
              "additionalProperties": false
            },
            "podAntiAffinity": {
              "type": "object",
              "properties": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "topologyKey"
                    ],
                    "properties": {
                      "labelSelector": {
                        "type": "object",
                        "properties": {
                          "matchLabels": {
                            "type": "object",
                            "additionalProperties": {
                              "type": "string",
                              "maxLength": 63
                            },
                            "maxProperties": 16
                          },
                          "matchExpressions": {
                            "type": "array",
                            "items": {
                              "type": "object",
                              "required": [
                                "key",
                                "operator"
                              ],
                              "properties": {
                                "key": {
                                  "type": "string",
                                  "minLength": 1,
                                  "maxLength": 317
                                },
                                "operator": {
                                  "enum": [
                                    "In",
                                    "NotIn",
                                    "Exists",
                                    "DoesNotExist"
                                  ]
                                },
                                "values": {
                                  "type": "array",
                                  "items": {
                                    "type": "string",
                                    "maxLength": 63
                                  },
                                  "maxItems": 32
                                }
                              },
                              "additionalProperties": false
                            },
                            "maxItems": 16
                          }
                        },
                        "additionalProperties": false
                      },
                      "topologyKey": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 317
                      },
                      "namespaces": {
                        "type": "array",
                        "items": {
                          "type": "string",
                          "maxLength": 63,
                          "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
                        },
                        "maxItems": 32
                      },
                      "namespaceSelector": {
                        "type": "object",
                        "properties": {
                          "matchLabels": {
                            "type": "object",
                            "additionalProperties": {
                              "type": "string",
                              "maxLength": 63
                            },
                            "maxProperties": 16
                          },
                          "matchExpressions": {
                            "type": "array",
                            "items": {
                              "type": "object",
                              "required": [
                                "key",
                                "operator"
                              ],
                              "properties": {
                                "key": {
                                  "type": "string",
                                  "minLength": 1,
                                  "maxLength": 317
                                },
                                "operator": {
                                  "enum": [
                                    "In",
                                    "NotIn",
                                    "Exists",
                                    "DoesNotExist"
                                  ]
                                },
                                "values": {
                                  "type": "array",
                                  "items": {
                                    "type": "string",
                                    "maxLength": 63
                                  },
                                  "maxItems": 32
                                }
                              },
                              "additionalProperties": false
                            },
                            "maxItems": 16
                          }
                        },
                        "additionalProperties": false
                      },
                      "matchLabelKeys": {
                        "type": "array",
                        "items": {
                          "type": "string",
                          "minLength": 1,
                          "maxLength": 317
                        },
                        "maxItems": 16
                      },
                      "mismatchLabelKeys": {
                        "type": "array",
                        "items": {
                          "type": "string",
                          "minLength": 1,
                          "maxLength": 317
                        },
                        "maxItems": 16
                      }
                    },
                    "additionalProperties": false
                  },
                  "maxItems": 16
                },
                "preferredDuringSchedulingIgnoredDuringExecution": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "weight",
                      "podAffinityTerm"
                    ],
                    "properties": {
                      "weight": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 100
                      },
                      "podAffinityTerm": {
                        "type": "object",
                        "required": [
                          "topologyKey"
                        ],
                        "properties": {
                          "labelSelector": {
                            "type": "object",
                            "properties": {
                              "matchLabels": {
                                "type": "object",
                                "additionalProperties": {
                                  "type": "string",
                                  "maxLength": 63
                                },
                                "maxProperties": 16
                              },
                              "matchExpressions": {
                                "type": "array",
                                "items": {
                                  "type": "object",
                                  "required": [
                                    "key",
                                    "operator"
                                  ],
                                  "properties": {
                                    "key": {
                                      "type": "string",
                                      "minLength": 1,
                                      "maxLength": 317
                                    },
                                    "operator": {
                                      "enum": [
                                        "In",
                                        "NotIn",
                                        "Exists",
                                        "DoesNotExist"
                                      ]
                                    },
                                    "values": {
                                      "type": "array",
                                      "items": {
                                        "type": "string",
                                        "maxLength": 63
                                      },
                                      "maxItems": 32
                                    }
                                  },
                                  "additionalProperties": false
                                },
                                "maxItems": 16
                              }
                            },
                            "additionalProperties": false
                          },
                          "topologyKey": {
                            "type": "string",
                            "minLength": 1,
                            "maxLength": 317
                          },
                          "namespaces": {
                            "type": "array",
                            "items": {
                              "type": "string",
                              "maxLength": 63,
                              "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
                            },
                            "maxItems": 32
                          },
                          "namespaceSelector": {
                            "type": "object",
                            "properties": {
                              "matchLabels": {
                                "type": "object",
                                "additionalProperties": {
                                  "type": "string",
                                  "maxLength": 63
                                },
                                "maxProperties": 16
                              },
                              "matchExpressions": {
                                "type": "array",
                                "items": {
                                  "type": "object",
                                  "required": [
                                    "key",
                                    "operator"
                                  ],
                                  "properties": {
                                    "key": {
                                      "type": "string",
                                      "minLength": 1,
                                      "maxLength": 317
                                    },
                                    "operator": {
                                      "enum": [
                                        "In",
                                        "NotIn",
                                        "Exists",
                                        "DoesNotExist"
                                      ]
                                    },
                                    "values": {
                                      "type": "array",
                                      "items": {
                                        "type": "string",
                                        "maxLength": 63
                                      },
                                      "maxItems": 32
                                    }
                                  },
                                  "additionalProperties": false
                                },
                                "maxItems": 16
                              }
                            },
                            "additionalProperties": false
                          },
                          "matchLabelKeys": {
                            "type": "array",
                            "items": {
                              "type": "string",
                              "minLength": 1,
                              "maxLength": 317
                            },
                            "maxItems": 16
                          },
                          "mismatchLabelKeys": {
                            "type": "array",
                            "items": {
                              "type": "string",
                              "minLength": 1,
                              "maxLength": 317
                            },
                            "maxItems": 16
                          }
                        },
                        "additionalProperties": false
                      }
                    },
                    "additionalProperties": false
                  },
                  "maxItems": 16
                }
              },
              "additionalProperties": false
            }
          },
          "additionalProperties": false
        },
        "annotations": {
          "type": "object",
          "additionalProperties": {
            "type": "string",
            "maxLength": 16384
          },
          "maxProperties": 32
        },
        "imagePullSecrets": {
          "type": "array",
          "maxItems": 32,
          "items": {
            "type": "object",
            "required": [
              "name"
            ],
            "properties": {
              "name": {
                "type": "string",
                "maxLength": 253,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
              }
            },
            "additionalProperties": false
          }
        },
        "volumes": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "name"
            ],
            "properties": {
              "name": {
                "type": "string",
                "maxLength": 63,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
              },
              "emptyDir": {
                "type": "object",
                "properties": {
                  "medium": {
                    "enum": [
                      "",
                      "Memory"
                    ]
                  },
                  "sizeLimit": {
                    "anyOf": [
                      {
                        "type": "integer"
                      },
                      {
                        "type": "string"
                      }
                    ],
                    "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$",
                    "maxLength": 32
                  }
                },
                "additionalProperties": false
              },
              "configMap": {
                "type": "object",
                "required": [
                  "name"
                ],
                "properties": {
                  "name": {
                    "type": "string",
                    "maxLength": 253,
                    "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
                  },
                  "items": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "key",
                        "path"
                      ],
                      "properties": {
                        "key": {
                          "type": "string",
                          "maxLength": 253,
                          "pattern": "^[-._a-zA-Z0-9]+$"
                        },
                        "path": {
                          "type": "string",
                          "maxLength": 512,
                          "pattern": "^[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*(/[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*)*$"
                        },
                        "mode": {
                          "type": "integer",
                          "minimum": 0,
                          "maximum": 511
                        }
                      },
                      "additionalProperties": false
                    },
                    "maxItems": 64
                  },
                  "defaultMode": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 511
                  }
                },
                "additionalProperties": false
              },
              "secret": {
                "type": "object",
                "required": [
                  "secretName"
                ],
                "properties": {
                  "secretName": {
                    "type": "string",
                    "maxLength": 253,
                    "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
                  },
                  "items": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "key",
                        "path"
                      ],
                      "properties": {
                        "key": {
                          "type": "string",
                          "maxLength": 253,
                          "pattern": "^[-._a-zA-Z0-9]+$"
                        },
                        "path": {
                          "type": "string",
                          "maxLength": 512,
                          "pattern": "^[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*(/[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*)*$"
                        },
                        "mode": {
                          "type": "integer",
                          "minimum": 0,
                          "maximum": 511
                        }
                      },
                      "additionalProperties": false
                    },
                    "maxItems": 64
                  },
                  "defaultMode": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 511
                  }
                },
                "additionalProperties": false
              },
              "persistentVolumeClaim": {
                "type": "object",
                "required": [
                  "claimName"
                ],
                "properties": {
                  "claimName": {
                    "type": "string",
                    "maxLength": 253,
                    "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
                  },
                  "readOnly": {
                    "type": "boolean"
                  }
                },
                "additionalProperties": false
              },
              "projected": {
                "type": "object",
                "required": [
                  "sources"
                ],
                "properties": {
                  "sources": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "properties": {
                        "configMap": {
                          "type": "object",
                          "required": [
                            "name"
                          ],
                          "properties": {
                            "name": {
                              "type": "string",
                              "maxLength": 253,
                              "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
                            },
                            "items": {
                              "type": "array",
                              "items": {
                                "type": "object",
                                "required": [
                                  "key",
                                  "path"
                                ],
                                "properties": {
                                  "key": {
                                    "type": "string",
                                    "maxLength": 253,
                                    "pattern": "^[-._a-zA-Z0-9]+$"
                                  },
                                  "path": {
                                    "type": "string",
                                    "maxLength": 512,
                                    "pattern": "^[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*(/[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*)*$"
                                  },
                                  "mode": {
                                    "type": "integer",
                                    "minimum": 0,
                                    "maximum": 511
                                  }
                                },
                                "additionalProperties": false
                              },
                              "maxItems": 64
                            }
                          },
                          "additionalProperties": false
                        },
                        "secret": {
                          "type": "object",
                          "required": [
                            "name"
                          ],
                          "properties": {
                            "name": {
                              "type": "string",
                              "maxLength": 253,
                              "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
                            },
                            "items": {
                              "type": "array",
                              "items": {
                                "type": "object",
                                "required": [
                                  "key",
                                  "path"
                                ],
                                "properties": {
                                  "key": {
                                    "type": "string",
                                    "maxLength": 253,
                                    "pattern": "^[-._a-zA-Z0-9]+$"
                                  },
                                  "path": {
                                    "type": "string",
                                    "maxLength": 512,
                                    "pattern": "^[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*(/[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*)*$"
                                  },
                                  "mode": {
                                    "type": "integer",
                                    "minimum": 0,
                                    "maximum": 511
                                  }
                                },
                                "additionalProperties": false
                              },
                              "maxItems": 64
                            }
                          },
                          "additionalProperties": false
                        },
                        "downwardAPI": {
                          "type": "object",
                          "required": [
                            "items"
                          ],
                          "properties": {
                            "items": {
                              "type": "array",
                              "items": {
                                "type": "object",
                                "required": [
                                  "path"
                                ],
                                "properties": {
                                  "path": {
                                    "type": "string",
                                    "maxLength": 512,
                                    "pattern": "^[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*(/[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*)*$"
                                  },
                                  "fieldRef": {
                                    "type": "object",
                                    "required": [
                                      "fieldPath"
                                    ],
                                    "properties": {
                                      "fieldPath": {
                                        "type": "string",
                                        "minLength": 1,
                                        "maxLength": 400
                                      }
                                    },
                                    "additionalProperties": false
                                  },
                                  "resourceFieldRef": {
                                    "type": "object",
                                    "required": [
                                      "containerName",
                                      "resource"
                                    ],
                                    "properties": {
                                      "containerName": {
                                        "type": "string",
                                        "maxLength": 63,
                                        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
                                      },
                                      "resource": {
                                        "type": "string",
                                        "minLength": 1,
                                        "maxLength": 64
                                      },
                                      "divisor": {
                                        "anyOf": [
                                          {
                                            "type": "integer"
                                          },
                                          {
                                            "type": "string"
                                          }
                                        ],
                                        "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$",
                                        "maxLength": 32
                                      }
                                    },
                                    "additionalProperties": false
                                  },
                                  "mode": {
                                    "type": "integer",
                                    "minimum": 0,
                                    "maximum": 511
                                  }
                                },
                                "additionalProperties": false
                              },
                              "maxItems": 32
                            }
                          },
                          "additionalProperties": false
                        },
                        "serviceAccountToken": {
                          "type": "object"
                        }
                      },
                      "additionalProperties": false
                    },
                    "minItems": 1,
                    "maxItems": 16
                  },
                  "defaultMode": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 511
                  }
                },
                "additionalProperties": false
              },
              "downwardAPI": {
                "type": "object",
                "required": [
                  "items"
                ],
                "properties": {
                  "items": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "path": {
                          "type": "string",
                          "maxLength": 512,
                          "pattern": "^[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*(/[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*)*$"
                        },
                        "fieldRef": {
                          "type": "object",
                          "required": [
                            "fieldPath"
                          ],
                          "properties": {
                            "fieldPath": {
                              "type": "string",
                              "minLength": 1,
                              "maxLength": 400
                            }
                          },
                          "additionalProperties": false
                        },
                        "resourceFieldRef": {
                          "type": "object",
                          "required": [
                            "containerName",
                            "resource"
                          ],
                          "properties": {
                            "containerName": {
                              "type": "string",
                              "maxLength": 63,
                              "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
                            },
                            "resource": {
                              "type": "string",
                              "minLength": 1,
                              "maxLength": 64
                            },
                            "divisor": {
                              "anyOf": [
                                {
                                  "type": "integer"
                                },
                                {
                                  "type": "string"
                                }
                              ],
                              "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$",
                              "maxLength": 32
                            }
                          },
                          "additionalProperties": false
                        },
                        "mode": {
                          "type": "integer",
                          "minimum": 0,
                          "maximum": 511
                        }
                      },
                      "additionalProperties": false
                    },
                    "maxItems": 32
                  },
                  "defaultMode": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": 511
                  }
                },
                "additionalProperties": false
              },
              "ephemeral": {
                "type": "object",
                "required": [
                  "volumeClaimTemplate"
                ],
                "properties": {
                  "volumeClaimTemplate": {
                    "type": "object",
                    "required": [
                      "spec"
                    ],
                    "properties": {
                      "spec": {
                        "type": "object",
                        "required": [
                          "accessModes",
                          "resources"
                        ],
                        "properties": {
                          "accessModes": {
                            "type": "array",
                            "items": {
                              "enum": [
                                "ReadWriteOnce",
                                "ReadWriteOncePod",
                                "ReadOnlyMany",
                                "ReadWriteMany"
                              ]
                            },
                            "minItems": 1,
                            "maxItems": 4
                          },
                          "resources": {
                            "type": "object",
                            "required": [
                              "requests"
                            ],
                            "properties": {
                              "requests": {
                                "type": "object",
                                "required": [
                                  "storage"
                                ],
                                "properties": {
                                  "storage": {
                                    "anyOf": [
                                      {
                                        "type": "integer"
                                      },
                                      {
                                        "type": "string"
                                      }
                                    ],
                                    "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$",
                                    "maxLength": 32
                                  }
                                },
                                "additionalProperties": false
                              }
                            },
                            "additionalProperties": false
                          },
                          "storageClassName": {
                            "type": "string",
                            "maxLength": 253,
                            "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
                          }
                        },
                        "additionalProperties": false
                      }
                    },
                    "additionalProperties": false
                  }
                },
                "additionalProperties": false
              },
              "hostPath": {
                "type": "object"
              },
              "nfs": {
                "type": "object"
              },
              "csi": {
                "type": "object"
              },
              "iscsi": {
                "type": "object"
              },
              "image": {
                "type": "object"
              },
              "gitRepo": {
                "type": "object"
              },
              "flexVolume": {
                "type": "object"
              }
            },
            "additionalProperties": false
          },
          "maxItems": 32
        },
        "volumeMounts": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "name",
              "mountPath"
            ],
            "properties": {
              "name": {
                "type": "string",
                "maxLength": 63,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
              },
              "mountPath": {
                "type": "string",
                "maxLength": 512,
                "pattern": "^(/[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*)+$"
              },
              "subPath": {
                "type": "string",
                "maxLength": 512,
                "pattern": "^[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*(/[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*)*$"
              },
              "readOnly": {
                "type": "boolean"
              }
            },
            "additionalProperties": false
          },
          "maxItems": 32
        },
        "launcherResources": {
          "type": "object",
          "properties": {
            "requests": {
              "type": "object",
              "additionalProperties": {
                "anyOf": [
                  {
                    "type": "integer"
                  },
                  {
                    "type": "string"
                  }
                ],
                "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$",
                "maxLength": 32
              },
              "maxProperties": 16
            },
            "limits": {
              "type": "object",
              "additionalProperties": {
                "anyOf": [
                  {
                    "type": "integer"
                  },
                  {
                    "type": "string"
                  }
                ],
                "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$",
                "maxLength": 32
              },
              "maxProperties": 16
            }
          },
          "additionalProperties": false
        }
      },
      "additionalProperties": false
    },
    "model": {
      "type": "object",
      "required": [
        "route"
      ],
      "properties": {
        "route": {
          "type": "string",
          "maxLength": 317,
          "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
        },
        "fallbackRoutes": {
          "type": "array",
          "items": {
            "type": "string",
            "maxLength": 317,
            "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
          },
          "maxItems": 8
        },
        "allowRoutes": {
          "type": "array",
          "items": {
            "type": "string",
            "maxLength": 317,
            "pattern": "^(\\*|([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$"
          },
          "maxItems": 64
        },
        "params": {
          "type": "object",
          "properties": {
            "temperature": {
              "type": "number",
              "minimum": 0,
              "maximum": 2
            },
            "topP": {
              "type": "number",
              "minimum": 0,
              "maximum": 1
            },
            "maxTokens": {
              "type": "integer",
              "minimum": 1,
              "maximum": 2147483647
            },
            "seed": {
              "type": "integer"
            },
            "stop": {
              "type": "array",
              "items": {
                "type": "string",
                "minLength": 1,
                "maxLength": 256
              },
              "maxItems": 8
            },
            "presencePenalty": {
              "type": "number",
              "minimum": -2,
              "maximum": 2
            },
            "frequencyPenalty": {
              "type": "number",
              "minimum": -2,
              "maximum": 2
            },
            "reasoningEffort": {
              "enum": [
                "minimal",
                "low",
                "medium",
                "high"
              ]
            },
            "extra": {
              "type": "object"
            }
          },
          "additionalProperties": false
        }
      },
      "additionalProperties": false
    },
    "systemPrompt": {
      "type": "string",
      "minLength": 1,
      "maxLength": 131072
    },
    "prompt": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "maxLength": 253,
          "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
        },
        "text": {
          "type": "string",
          "minLength": 1,
          "maxLength": 131072
        },
        "messages": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "role",
              "content"
            ],
            "properties": {
              "role": {
                "enum": [
                  "system",
                  "user",
                  "assistant"
                ]
              },
              "content": {
                "type": "string",
                "minLength": 1,
                "maxLength": 131072
              }
            },
            "additionalProperties": false
          },
          "minItems": 1,
          "maxItems": 64
        },
        "version": {
          "type": "integer",
          "minimum": 1,
          "maximum": 2147483647
        },
        "label": {
          "type": "string",
          "minLength": 1,
          "maxLength": 63
        },
        "variables": {
          "type": "object",
          "patternProperties": {
            "^.*$": {
              "type": "string",
              "maxLength": 8192
            }
          },
          "maxProperties": 256
        }
      },
      "additionalProperties": false
    },
    "tools": {
      "type": "array",
      "items": {
        "anyOf": [
          {
            "type": "string",
            "minLength": 1,
            "maxLength": 63,
            "pattern": "^[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
          },
          {
            "type": "object",
            "required": [
              "name"
            ],
            "properties": {
              "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 63,
                "pattern": "^[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
              },
              "bindingRef": {
                "anyOf": [
                  {
                    "type": "string",
                    "maxLength": 317
                  },
                  {
                    "type": "object",
                    "required": [
                      "name"
                    ],
                    "properties": {
                      "name": {
                        "type": "string",
                        "maxLength": 253,
                        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
                      },
                      "namespace": {
                        "type": "string",
                        "maxLength": 63,
                        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
                      }
                    },
                    "additionalProperties": false
                  }
                ]
              },
              "registryRef": {
                "anyOf": [
                  {
                    "type": "string",
                    "maxLength": 317
                  },
                  {
                    "type": "object",
                    "required": [
                      "name"
                    ],
                    "properties": {
                      "name": {
                        "type": "string",
                        "maxLength": 253,
                        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
                      },
                      "namespace": {
                        "type": "string",
                        "maxLength": 63,
                        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
                      }
                    },
                    "additionalProperties": false
                  }
                ]
              },
              "allow": {
                "type": "array",
                "items": {
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 128,
                  "pattern": "^(\\*|[A-Za-z0-9_][A-Za-z0-9_.:/-]*)$"
                },
                "maxItems": 256
              },
              "requireApproval": {
                "anyOf": [
                  {
                    "type": "boolean"
                  },
                  {
                    "type": "array",
                    "items": {
                      "type": "string",
                      "minLength": 1,
                      "maxLength": 128,
                      "pattern": "^(\\*|[A-Za-z0-9_][A-Za-z0-9_.:/-]*)$"
                    },
                    "maxItems": 256
                  }
                ]
              }
            },
            "additionalProperties": false
          }
        ]
      },
      "maxItems": 64
    },
    "registries": {
      "type": "array",
      "items": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 317
          },
          {
            "type": "object",
            "required": [
              "name"
            ],
            "properties": {
              "name": {
                "type": "string",
                "maxLength": 253,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
              },
              "namespace": {
                "type": "string",
                "maxLength": 63,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
              }
            },
            "additionalProperties": false
          }
        ]
      },
      "maxItems": 32
    },
    "a2a": {
      "type": "object",
      "properties": {
        "expose": {
          "type": "boolean"
        },
        "description": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1024
        },
        "skills": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "id",
              "name",
              "description"
            ],
            "properties": {
              "id": {
                "type": "string",
                "minLength": 1,
                "maxLength": 63,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
              },
              "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 128
              },
              "description": {
                "type": "string",
                "minLength": 1,
                "maxLength": 1024
              },
              "tags": {
                "type": "array",
                "items": {
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 64
                },
                "maxItems": 16
              },
              "examples": {
                "type": "array",
                "items": {
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 1024
                },
                "maxItems": 16
              }
            },
            "additionalProperties": false
          },
          "maxItems": 32
        }
      },
      "additionalProperties": false
    },
    "delegates": {
      "type": "array",
      "items": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 127
          },
          {
            "type": "object",
            "required": [
              "name"
            ],
            "properties": {
              "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 63,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
              },
              "namespace": {
                "type": "string",
                "minLength": 1,
                "maxLength": 63,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
              }
            },
            "additionalProperties": false
          }
        ]
      },
      "maxItems": 256
    },
    "knowledge": {
      "type": "array",
      "items": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 253,
            "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
          },
          {
            "type": "object",
            "required": [
              "name"
            ],
            "properties": {
              "name": {
                "type": "string",
                "maxLength": 253,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
              },
              "namespace": {
                "type": "string",
                "maxLength": 63,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
              }
            },
            "additionalProperties": false
          }
        ]
      },
      "maxItems": 32
    },
    "guardrails": {
      "type": "array",
      "items": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 317
          },
          {
            "type": "object",
            "required": [
              "name"
            ],
            "properties": {
              "name": {
                "type": "string",
                "maxLength": 253,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
              },
              "namespace": {
                "type": "string",
                "maxLength": 63,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
              }
            },
            "additionalProperties": false
          }
        ]
      },
      "maxItems": 32
    },
    "secrets": {
      "type": "array",
      "items": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 253,
            "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
          },
          {
            "type": "object",
            "required": [
              "name"
            ],
            "properties": {
              "name": {
                "type": "string",
                "maxLength": 253,
                "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
              }
            },
            "additionalProperties": false
          }
        ]
      },
      "maxItems": 32
    },
    "memory": {
      "type": "object",
      "properties": {
        "session": {
          "type": "object",
          "properties": {
            "ttl": {
              "type": "string",
              "minLength": 1,
              "maxLength": 64,
              "pattern": "^([1-9][0-9]{0,8}d((1?[0-9]|2[0-3])h)?([1-5]?[0-9]m)?([1-5]?[0-9]s)?([0-9]{1,3}ms)?|([0-9]{1,9}(ms|s|m|h)){1,5})$",
              "x-mesh-duration": {
                "min": "1s",
                "max": "3650d"
              }
            },
            "maxEntries": {
              "type": "integer",
              "minimum": 1,
              "maximum": 100000
            }
          },
          "additionalProperties": false
        },
        "longTerm": {
          "type": "object",
          "properties": {
            "embeddingRoute": {
              "type": "string",
              "maxLength": 317,
              "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
            },
            "ttl": {
              "type": "string",
              "minLength": 1,
              "maxLength": 64,
              "pattern": "^([1-9][0-9]{0,8}d((1?[0-9]|2[0-3])h)?([1-5]?[0-9]m)?([1-5]?[0-9]s)?([0-9]{1,3}ms)?|([0-9]{1,9}(ms|s|m|h)){1,5})$",
              "x-mesh-duration": {
                "min": "1s",
                "max": "3650d"
              }
            },
            "scope": {
              "enum": [
                "agent",
                "user"
              ]
            }
          },
          "additionalProperties": false
        }
      },
      "additionalProperties": false
    },
    "budget": {
      "type": "object",
      "required": [
        "amount"
      ],
      "properties": {
        "amount": {
          "anyOf": [
            {
              "type": "string",
              "maxLength": 19,
              "pattern": "^[0-9]{1,12}(\\.[0-9]{1,6})?$"
            },
            {
              "type": "number",
              "minimum": 0
            }
          ]
        },
        "currency": {
          "type": "string",
          "pattern": "^[A-Z]{3}$",
          "maxLength": 3
        },
        "window": {
          "enum": [
            "hour",
            "day",
            "week",
            "month",
            "total"
          ]
        },
        "onExceed": {
          "enum": [
            "fail",
            "pause"
          ]
        }
      },
      "additionalProperties": false
    },
    "limits": {
      "type": "object",
      "properties": {
        "timeout": {
          "type": "string",
          "minLength": 1,
          "maxLength": 64,
          "pattern": "^([1-9][0-9]{0,8}d((1?[0-9]|2[0-3])h)?([1-5]?[0-9]m)?([1-5]?[0-9]s)?([0-9]{1,3}ms)?|([0-9]{1,9}(ms|s|m|h)){1,5})$",
          "x-mesh-duration": {
            "min": "1ms",
            "max": "24d"
          }
        },
        "maxSteps": {
          "type": "integer",
          "minimum": 1,
          "maximum": 1000
        },
        "maxDelegationDepth": {
          "type": "integer",
          "minimum": 0,
          "maximum": 8
        },
        "concurrency": {
          "type": "integer",
          "minimum": 1,
          "maximum": 1000
        }
      },
      "additionalProperties": false
    },
    "tracePolicy": {
      "type": "object",
      "properties": {
        "capture": {
          "enum": [
            "full",
            "metadata",
            "none"
          ]
        },
        "redact": {
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 256
          },
          "maxItems": 64
        },
        "sampleRate": {
          "type": "number",
          "minimum": 0,
          "maximum": 1
        }
      },
      "additionalProperties": false
    },
    "recording": {
      "type": "object",
      "properties": {},
      "additionalProperties": false
    },
    "eval": {
      "type": "object",
      "required": [
        "dataset"
      ],
      "properties": {
        "dataset": {
          "type": "string",
          "maxLength": 253,
          "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
        },
        "suite": {
          "type": "string",
          "maxLength": 253,
          "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
        },
        "minScore": {
          "type": "number",
          "minimum": 0,
          "maximum": 1
        }
      },
      "additionalProperties": false
    }
  },
  "additionalProperties": false
}
