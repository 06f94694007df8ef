graph [
  name "ring"
  node [
    id 0
    label "n0"
    x 1.0
    size 0
    odd 0
    group "even"
  ]
  node [
    id 1
    label "n1"
    x 1.5
    size 1
    odd 1
    group "odd"
  ]
  node [
    id 2
    label "n2"
    x 2.0
    size 2
    odd 0
    group "even"
  ]
  node [
    id 3
    label "n3"
    x 2.5
    size 3
    odd 1
    group "odd"
  ]
  node [
    id 4
    label "n4"
    x 3.0
    size 4
    odd 0
    group "even"
  ]
  node [
    id 5
    label "n5"
    x 3.5
    size 5
    odd 1
    group "odd"
  ]
  node [
    id 6
    label "n6"
    x 4.0
    size 6
    odd 0
    group "even"
  ]
  node [
    id 7
    label "n7"
    x 4.5
    size 7
    odd 1
    group "odd"
  ]
  edge [
    source 0
    target 1
    length 0.0
  ]
  edge [
    source 0
    target 7
    length 3.5
  ]
  edge [
    source 0
    target 4
    length 4.0
  ]
  edge [
    source 1
    target 2
    length 0.5
  ]
  edge [
    source 2
    target 3
    length 1.0
  ]
  edge [
    source 3
    target 4
    length 1.5
  ]
  edge [
    source 4
    target 5
    length 2.0
  ]
  edge [
    source 5
    target 6
    length 2.5
  ]
  edge [
    source 6
    target 7
    length 3.0
  ]
]
