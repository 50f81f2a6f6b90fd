{
  "text": "tallyhand audit export\n15e471899634472943b921e20d3c6587d02b702d3e7b549b4843bfcdc994e15f\n",
  "keyId": "b469970a7564c265",
  "signature": "eQ997wzp6+VBviAx8YOfk8pvoCPmhHkzYkEiN4qdBbuXM0wmbAxINGSgMdhG8sQrKehrNMAuoKH8GUk4zbc2Bw=="
}
