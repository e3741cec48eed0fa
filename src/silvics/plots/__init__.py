"""Pictures and text of trees and of results; pictures need matplotlib."""
